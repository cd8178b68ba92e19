import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Item, Table } from "#shared/platform/data/table.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import { hashOfScimToken, provisioner, type ScimToken } from "./scim-token.ts";
import { type TeamProvisioning, teamProvisioning } from "./team-provisioning.ts";

const teamKey = (teamId: string) => ({ owner: `team#${teamId}`, entry: "provisioning" });
const tokenKey = (hash: string) => ({ owner: `token#${hash}`, entry: "token" });

/** Identity providers and tokens of teams. Access patterns: all of a team; the team of a token, by the token's hash. */
export class TeamProvisioningStore {
  readonly #table: Table<"provisioning">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "provisioning");
  }

  async get(teamId: string): Promise<TeamProvisioning> {
    return toTeamProvisioning(teamId, await this.#table.get(teamKey(teamId)));
  }

  /** Look up a token; undefined for an unknown one. */
  async findProvisioner(token: string): Promise<Provisioner | undefined> {
    const item = await this.#table.get(tokenKey(hashOfScimToken(token)));
    return item && provisioner.parse(item);
  }

  /** Condition that a team's item has not changed since it was read. Rejected as `StaleReadError`. */
  requireUnchanged({ teamId, revision }: Pick<TeamProvisioning, "teamId" | "revision">): Write {
    return this.#table.requireWrite(teamKey(teamId), { atRevision: revision });
  }

  /** Delete the item of a team without providers and tokens. */
  async removeContents(teamId: string): Promise<void> {
    const pages = this.#table.pages(teamKey(teamId).owner, {
      ProjectionExpression: "#owner, entry",
      ExpressionAttributeNames: { "#owner": "owner" },
    });
    for await (const { Items = [] } of pages) {
      await this.#table.deleteMany(
        Items.map(({ owner, entry }) => ({ owner: String(owner), entry: String(entry) })),
      );
    }
  }

  /** Writes that bring a team's item, and the tokens, from one state to the next. Rejected as `StaleReadError`. */
  save(previous: TeamProvisioning, next: Omit<TeamProvisioning, "revision">): Write[] {
    const { teamId } = previous;
    const isIn = (tokens: readonly ScimToken[]) => {
      const hashes = new Set(tokens.map(({ hash }) => hash));
      return ({ hash }: ScimToken) => hashes.has(hash);
    };
    const added = next.tokens.filter((token) => !isIn(previous.tokens)(token));
    const removed = previous.tokens.filter((token) => !isIn(next.tokens)(token));
    const item = { ...teamKey(teamId), ...next, revision: previous.revision + 1 };
    return [
      this.#table.putWrite(item, { atRevision: previous.revision }),
      ...added.map(({ hash, id, idpId, createdBy }) => {
        const content: Provisioner = { teamId, tokenId: id, idpId, createdBy };
        return this.#table.putWrite({ ...tokenKey(hash), ...content });
      }),
      ...removed.map(({ hash }) => this.#table.deleteWrite(tokenKey(hash))),
    ];
  }
}

const toTeamProvisioning = (teamId: string, item: Item | undefined): TeamProvisioning =>
  item === undefined ? { teamId, revision: 0, providers: [], tokens: [] } : teamProvisioning.parse(item);
