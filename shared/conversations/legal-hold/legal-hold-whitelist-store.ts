import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { declareItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";

const owner = "legal-hold-whitelist";
const entryKey = (teamId: string) => ({ owner, entry: teamId });

declareItem(
  {
    table: "teams",
    kind: "legal-hold-whitelist",
    key: ["legal-hold-whitelist", "*"],
    subject: { team: ["entry"] },
  },
  storedObject({}),
);

/**
 * The list of teams to which the operator gives legal hold; it is also stored with the features of each team. Access
 * pattern: one page, in the order of the ids.
 */
export class LegalHoldWhitelistStore {
  readonly #table: Table<"teams">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "teams");
  }

  /** @param page.after the team after which to start; absent: start with the first */
  async page({ after, limit }: { after?: string; limit: number }): Promise<string[]> {
    const { Items = [] } = await this.#table.page(owner, {
      Limit: limit,
      ExclusiveStartKey: after === undefined ? undefined : entryKey(after),
    });
    return Items.map(({ entry }) => String(entry));
  }

  add(teamId: string): Write {
    return this.#table.putWrite(entryKey(teamId));
  }

  remove(teamId: string): Write {
    return this.#table.deleteWrite(entryKey(teamId));
  }
}
