import { describeAudited } from "#shared/platform/audit/audited.ts";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Item, Table } from "#shared/platform/data/table.ts";
import {
  addressItem,
  type Invitation,
  type InvitedAddress,
  invitationItem,
  isPending,
} from "./invitation.ts";
import { hashOfCode } from "./invitation-code.ts";
import { countsItem, countUpdate, type InvitationCounts } from "./invitation-counts.ts";
import { TooManyInvitationsError } from "./team-errors.ts";

const ownerOf = (teamId: string) => `team#${teamId}`;
const prefix = "invitation#";
const entryKey = ({ teamId, invitationId }: InvitationKey) => ({
  owner: ownerOf(teamId),
  entry: `${prefix}${invitationId}`,
});
const codeKey = (codeHash: string) => ({ owner: `code#${codeHash}`, entry: "invitation" });
const addressOwner = (addressKey: string) => `email#${addressKey}`;
const teamEntry = (teamId: string) => `team#${teamId}`;
const addressKeyOf = ({ teamId, addressKey }: AddressInTeam) => ({
  owner: addressOwner(addressKey),
  entry: teamEntry(teamId),
});
const countsKey = (teamId: string) => ({ owner: ownerOf(teamId), entry: "invitation-counts" });

export type InvitationKey = Pick<Invitation, "teamId" | "invitationId">;
type AddressInTeam = Pick<Invitation, "teamId" | "addressKey">;

/**
 * The data on which the writes of an invitation depend: the team's invitations to the address, and the number pending
 * in the team.
 */
export interface InvitationState {
  readonly address: InvitedAddress | undefined;
  readonly counts: InvitationCounts | undefined;
}

/** Maximum number of pending invitations of one team to one address; the oldest makes way for one more. */
const maxPerAddress = 8;
/** Invitations removed per step when all of a team are removed. */
const removalPage = 100;

/**
 * Pending invitations; an expired one counts as absent. Access patterns: by team and id; by code; of a team in the
 * order of their ids, one page; of an address, by team.
 *
 * An invitation is stored twice, under its team and under the hash of its code. A third item lists the invitations of
 * an address in its team; its revision lets one of several concurrent changes win.
 */
export class InvitationStore {
  readonly #table: Table<"teams">;
  readonly #clock: Clock;
  readonly #limit: number;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "teams");
    this.#clock = context.clock;
    this.#limit = context.config.settings.maxTeamSize;
  }

  async get(key: InvitationKey): Promise<Invitation | undefined> {
    return this.#parse(await this.#table.get(entryKey(key)));
  }

  async findByCode(code: string): Promise<Invitation | undefined> {
    return this.#parse(await this.#table.get(codeKey(hashOfCode(code))));
  }

  async readState(address: AddressInTeam): Promise<InvitationState> {
    const [invited, counts] = await Promise.all([
      this.#table.get(addressKeyOf(address)),
      this.#table.get(countsKey(address.teamId)),
    ]);
    return {
      address: invited && addressItem.parse(invited),
      counts: counts && countsItem.parse(counts),
    };
  }

  /**
   * Invitations in the order of their ids.
   * @param page.after the id after which to start; absent: start with the first
   */
  async page(teamId: string, page: { after?: string; limit: number }): Promise<Invitation[]> {
    const found: Invitation[] = [];
    const query = this.#table.query(ownerOf(teamId), {
      ...withPrefix,
      firstLimit: page.limit,
      ExclusiveStartKey:
        page.after === undefined ? undefined : entryKey({ teamId, invitationId: page.after }),
    });
    for await (const item of query) {
      const invitation = this.#parse(item);
      if (invitation === undefined) continue;
      found.push(invitation);
      if (found.length === page.limit) break;
    }
    return found;
  }

  /** The newest invitation of an address in each team that has invited it. */
  async *ofAddress(addressKey: string): AsyncGenerator<InvitationKey> {
    const now = toSeconds(this.#clock());
    for await (const item of this.#table.query(addressOwner(addressKey))) {
      const { teamId, invitations } = addressItem.parse(item);
      const newest = invitations.findLast((invitation) => isPending(invitation, now));
      if (newest !== undefined) yield { teamId, invitationId: newest.invitationId };
    }
  }

  /**
   * Writes that add an invitation; the oldest of its address is removed when there are too many. Rejected as
   * `TooManyInvitationsError`, and as `StaleReadError` when the state has changed since it was read.
   *
   * @param mailTat token bucket of the mails to the address
   * @param options.isOnly whether to remove all others of the address
   */
  add(
    invitation: Invitation,
    state: InvitationState,
    mailTat: number | undefined,
    { isOnly = false }: { isOnly?: boolean } = {},
  ): Write[] {
    describeAudited({ target: { iid: invitation.invitationId } });
    const pending = this.#pendingOf(state);
    const dropped = isOnly ? pending : pending.slice(0, Math.max(0, pending.length + 1 - maxPerAddress));
    const { invitationId, codeHash, expiresAt } = invitation;
    const item = { ...invitation, purgeAtSeconds: expiresAt };
    return [
      this.#table.putWrite({ ...entryKey(invitation), ...item }),
      this.#table.putWrite({ ...codeKey(codeHash), ...item }),
      this.#putAddress(invitation, state, {
        invitations: [...pending.slice(dropped.length), { invitationId, codeHash, expiresAt }],
        mailTat,
      }),
      ...this.#deletions(invitation.teamId, dropped),
      this.#recount(invitation.teamId, state, { added: [invitation], removed: dropped }),
    ];
  }

  /** Writes that remove an invitation. Rejected as `StaleReadError` when the state has changed since it was read. */
  remove(invitation: Invitation, state: InvitationState): Write[] {
    const { teamId, invitationId } = invitation;
    const isOther = (other: { invitationId: string }) => other.invitationId !== invitationId;
    return [
      ...this.#deletions(teamId, [invitation]),
      this.#putAddress(invitation, state, {
        invitations: this.#pendingOf(state).filter(isOther),
        mailTat: state.address?.mailTat,
      }),
      this.#recount(teamId, state, { added: [], removed: [invitation] }),
    ];
  }

  /**
   * Writes that remove an invitation that is accepted, and all others of its address in its team. Rejected as
   * `StaleReadError` when the state has changed since it was read, as it does when another of them is accepted.
   */
  use(address: AddressInTeam, state: InvitationState): Write[] {
    const removed = this.#pendingOf(state);
    return [
      ...this.#deletions(address.teamId, removed),
      this.#table.deleteWrite(addressKeyOf(address), { atRevision: state.address?.revision ?? 0 }),
      this.#recount(address.teamId, state, { added: [], removed }),
    ];
  }

  /** Writes as from `use` when an address joins its team without an invitation; none when it has not been invited. */
  withdraw(address: AddressInTeam, state: InvitationState): Write[] {
    return this.#pendingOf(state).length === 0 ? [] : this.use(address, state);
  }

  /** Ids of the pending invitations of an address in its team. */
  pendingIds = (state: InvitationState): string[] =>
    this.#pendingOf(state).map(({ invitationId }) => invitationId);

  /** Whether the state still has an invitation: another change may have removed it since it was read. */
  isIn({ invitationId }: Invitation, state: InvitationState): boolean {
    return this.#pendingOf(state).some((other) => other.invitationId === invitationId);
  }

  /**
   * Remove all invitations of a team that admits no new ones, because it is suspended or being deleted. May be
   * repeated, and stopped half-way.
   */
  async removeAll(teamId: string): Promise<void> {
    const pages = this.#table.pages(ownerOf(teamId), { ...withPrefix, Limit: removalPage });
    for await (const { Items = [] } of pages) {
      const invitations = Items.map((item) => invitationItem.parse(item));
      const addresses = new Set(invitations.map(({ addressKey }) => addressKey));
      // The entries are removed last, so that a repetition after a failure finds them again.
      await this.#table.deleteMany([
        ...invitations.map(({ codeHash }) => codeKey(codeHash)),
        ...[...addresses].map((addressKey) => addressKeyOf({ teamId, addressKey })),
      ]);
      await this.#table.deleteMany(invitations.map(entryKey));
    }
    await this.#table.delete(countsKey(teamId));
  }

  #parse(item: Item | undefined): Invitation | undefined {
    const invitation = item && invitationItem.parse(item);
    return invitation && isPending(invitation, toSeconds(this.#clock())) ? invitation : undefined;
  }

  #pendingOf({ address }: InvitationState): InvitedAddress["invitations"] {
    const now = toSeconds(this.#clock());
    return address?.invitations.filter((invitation) => isPending(invitation, now)) ?? [];
  }

  /**
   * Kept even without invitations until its bucket of mails is full again: otherwise, revoking each invitation would
   * evade the limit on mails.
   */
  #putAddress(
    { teamId, addressKey }: Invitation,
    { address }: InvitationState,
    fields: Pick<InvitedAddress, "invitations" | "mailTat">,
  ): Write {
    const revision = address?.revision ?? 0;
    const item: InvitedAddress = { ...address, teamId, addressKey, ...fields, revision: revision + 1 };
    const purgeAtSeconds = Math.max(
      toSeconds(this.#clock()),
      ...fields.invitations.map(({ expiresAt }) => expiresAt),
      ...(fields.mailTat === undefined ? [] : [toSeconds(fields.mailTat)]),
    );
    return this.#table.putWrite({ ...addressKeyOf(item), ...item, purgeAtSeconds }, { atRevision: revision });
  }

  #deletions(teamId: string, invitations: readonly Pick<Invitation, "invitationId" | "codeHash">[]): Write[] {
    return invitations.flatMap(({ invitationId, codeHash }) => [
      this.#table.deleteWrite(entryKey({ teamId, invitationId })),
      this.#table.deleteWrite(codeKey(codeHash)),
    ]);
  }

  #recount(teamId: string, { counts }: InvitationState, changes: Parameters<typeof countUpdate>[1]): Write {
    const { room, ...update } = countUpdate(counts, changes, {
      limit: this.#limit,
      nowSeconds: toSeconds(this.#clock()),
    });
    return this.#table.updateWrite(countsKey(teamId), {
      ...update,
      onRejected: (existing) =>
        changes.added.length > 0 && Number(existing?.pendingCount) > room
          ? new TooManyInvitationsError(teamId)
          : undefined,
    });
  }
}

const withPrefix = {
  range: "begins_with(entry, :prefix)",
  ExpressionAttributeValues: { ":prefix": prefix },
};
