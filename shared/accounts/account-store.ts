import { isDeepStrictEqual } from "node:util";
import { describeAddresses, describeAudited, noteAccount } from "#shared/platform/audit/audited.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import {
  type Entry,
  listed,
  type NewestPage,
  newestFirst,
  partitionsOf,
} from "#shared/platform/data/newest-first.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { declareItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { type Item, Table } from "#shared/platform/data/table.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type Account, accountItem, type Claim, claimItem } from "./account.ts";
import { AccountInactiveError, AccountNotFoundError, IdentityTakenError } from "./account-errors.ts";
import { type ContactIdentity, type Identity, identitiesOf, refusedWith } from "./identity.ts";
import { externalIdClaim, samlClaimsInTeam } from "./provisioned-identity.ts";

/** The claim on an identity, if any, and whether the identity is blocked. */
export interface IdentityState {
  readonly claim: Claim | undefined;
  readonly isBlocked: boolean;
}

/** An account before and after it has given up identities. */
export interface FormerOwner {
  readonly previous: Account;
  readonly next: Account;
}

const accountPrefix = "user#";
const accountKey = (userId: string) => ({ pk: `${accountPrefix}${userId}`, sk: "account" });
const idIn = ({ pk }: Item) => String(pk).slice(accountPrefix.length);
const accountList = "user";
const claimKey = ({ kind, key, sortKey = "claim" }: Identity) => ({ pk: `${kind}#${key}`, sk: sortKey });
const blockKey = ({ kind, key }: Pick<Identity, "kind" | "key">) => ({ pk: `${kind}#${key}`, sk: "block" });
const blockList = "blocked";
const blockEntryKey = ({ kind, key }: ContactIdentity) => ({ pk: blockList, sk: `${kind}#${key}` });

declareItem(
  {
    table: "accounts",
    kind: "block",
    key: ["email#*|phone#*", "block"],
    subject: { nobody: "addresses that operators refuse, whoever uses them" },
  },
  storedObject({}),
);
declareItem(
  {
    table: "accounts",
    kind: "block-entry",
    key: [blockList, "email#*|phone#*"],
    subject: { nobody: "lists the addresses that operators refuse" },
  },
  storedObject({}),
);

/**
 * Accounts and their claims on identities. Access patterns: account by id; accounts by time of creation, in pages; claim by
 * identity; block by identity; blocks in pages; claims on SAML identities by team and issuer, and on external ids by team.
 * A claim is written in one transaction with its account, so an identity has at most one owner.
 */
export class AccountStore {
  readonly #table: Table<"accounts">;
  readonly #settings: Settings;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "accounts");
    this.#settings = context.config.settings;
  }

  async get(userId: string): Promise<Account | undefined> {
    const item = await this.#table.get(accountKey(userId));
    const account = item && accountItem.parse(item);
    if (account !== undefined) noteAccount(account.userId, account.teamId);
    return account;
  }

  /** Accounts by id, in any order; unknown ids are left out. */
  async getMany(userIds: readonly string[]): Promise<Account[]> {
    const items = await this.#table.getMany([...new Set(userIds)].map(accountKey));
    return items.map((item) => accountItem.parse(item));
  }

  /** Accounts as `getMany` finds them, and the ids of those that cannot be read. */
  async getReadable(userIds: readonly string[]): Promise<{ accounts: Account[]; unreadable: string[] }> {
    const items = await this.#table.getMany([...new Set(userIds)].map(accountKey));
    const read = items.map((item) => ({ userId: idIn(item), account: accountItem.parseOrAbsent(item) }));
    return {
      accounts: read.map(({ account }) => account).filter((account) => account !== undefined),
      unreadable: read.filter(({ account }) => account === undefined).map(({ userId }) => userId),
    };
  }

  /**
   * One page of the accounts, the newest first: without bots, deleted or unreadable accounts, and those from a version
   * without the list that migration 1 has not seen. So it may have fewer than `limit`.
   *
   * @returns `last` if another page may follow: the entry after which it starts
   */
  async pageOfNewest(page: NewestPage): Promise<{ accounts: Account[]; last: Entry | undefined }> {
    const { entries, last } = await this.pageOfEntries(page);
    const { accounts } = await this.getReadable(entries.map(({ id }) => id));
    return { accounts: accounts.filter(isListed), last };
  }

  /** The entries of such a page, by one query of each partition of the list. Some may be of accounts that are now deleted. */
  pageOfEntries(page: NewestPage): Promise<{ entries: Entry[]; last: Entry | undefined }> {
    return newestFirst(this.#table, partitionsOf(accountList), page);
  }

  /** Claims in the order of the identities; undefined for an identity that nobody holds. */
  findClaims(identities: readonly Identity[]): Promise<(Claim | undefined)[]> {
    return Promise.all(identities.map((identity) => this.findClaim(identity)));
  }

  async findClaim(identity: Identity): Promise<Claim | undefined> {
    const item = await this.#table.get(claimKey(identity));
    const claim = item && claimItem.parse(item);
    if (claim !== undefined) noteAccount(claim.userId, claim.teamId);
    return claim;
  }

  /** Claims of a team's users on SAML identities of an issuer. */
  async *claimsByIssuer(teamId: string, issuer: string): AsyncGenerator<Claim> {
    for (const identity of samlClaimsInTeam(teamId, { issuer, nameId: { text: "" } })) {
      for await (const item of this.#table.query(claimKey(identity).pk)) {
        const claim = claimItem.parse(item);
        if (claim.teamId === teamId) yield claim;
      }
    }
  }

  /** Claims on the external ids of the users of a team. */
  async *claimsByDirectory(teamId: string): AsyncGenerator<Claim> {
    const { pk } = claimKey(externalIdClaim(teamId, ""));
    for await (const item of this.#table.query(pk)) yield claimItem.parse(item);
  }

  async findState(identity: ContactIdentity): Promise<IdentityState> {
    const [claim, isBlocked] = await Promise.all([this.findClaim(identity), this.isBlocked(identity)]);
    return { claim, isBlocked };
  }

  /**
   * Writes that bring an account and its claims from one state to the next; without `previous` they create the account.
   * Rejected as `StaleReadError` when the account has changed since `previous` was read, or exists without `previous`,
   * and as `IdentityTakenError` when another account holds an identity.
   *
   * @param formerOwner an account that loses the identities that this one gets; it must not have changed, either
   */
  save(previous: Account | undefined, next: Omit<Account, "revision">, formerOwner?: FormerOwner): Write[] {
    if (previous === undefined) describeAudited({ target: { uid: next.userId } });
    noteAccount(next.userId, next.teamId);
    describeAccountChange(previous, next);
    const before = previous ? identitiesOf(previous, this.#settings) : [];
    const after = identitiesOf(next, this.#settings);
    const account: Account = { ...next, revision: (previous?.revision ?? 0) + 1 };
    const keepsClaims = previous !== undefined && isDeepStrictEqual(toClaim(previous), toClaim(account));
    return [
      this.#putAccount(account, previous),
      ...before
        .filter((identity) => !isAmong(after, identity))
        .map((identity) => this.#release(identity, account.userId)),
      ...after
        .filter((identity) => !isAmong(before, identity) || !keepsClaims)
        .map((identity) => this.#putClaim(identity, toClaim(account), formerOwner?.previous.userId)),
      ...(formerOwner === undefined ? [] : this.#saveFormerOwner(formerOwner, after)),
    ];
  }

  /** The writes of the other account include the claims that it gets. */
  #saveFormerOwner({ previous, next }: FormerOwner, taken: readonly Identity[]): Write[] {
    const account = { ...next, revision: previous.revision + 1 };
    return [
      this.#putAccount(account, previous),
      ...identitiesOf(next, this.#settings)
        .filter((identity) => !isAmong(taken, identity))
        .map((identity) => this.#putClaim(identity, toClaim(account))),
    ];
  }

  /**
   * Condition that an account has not been deleted, for writes of data that would otherwise outlive the erasure.
   * Rejected as `AccountNotFoundError`.
   */
  requireNotDeleted(userId: string): Write {
    return this.#table.requireWrite(accountKey(userId), {
      ConditionExpression: "attribute_exists(pk) AND #status <> :deleted",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ":deleted": "deleted" },
      onRejected: () => new AccountNotFoundError(userId),
    });
  }

  /**
   * Condition that an account is active. Rejected as `AccountInactiveError`.
   * @param epoch `sessionEpoch` that the account must still have, so that nobody has logged the user out everywhere;
   * absent: not required
   */
  requireActive(userId: string, epoch?: number): Write {
    return this.#table.requireWrite(accountKey(userId), {
      ConditionExpression: `#status = :active${epoch === undefined ? "" : " AND sessionEpoch = :epoch"}`,
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ":active": "active", ...(epoch !== undefined && { ":epoch": epoch }) },
      onRejected: () => new AccountInactiveError(userId),
    });
  }

  /**
   * Condition that an account exists, and that its legal hold has neither begun nor ended since it was read. Rejected
   * as `StaleReadError`.
   */
  requireSameLegalHold({ userId, legalHoldStatus }: Pick<Account, "userId" | "legalHoldStatus">): Write {
    const isSame =
      legalHoldStatus === undefined
        ? "attribute_not_exists(legalHoldStatus)"
        : "legalHoldStatus = :legalHoldStatus";
    return this.#table.requireWrite(accountKey(userId), {
      ConditionExpression: `attribute_exists(pk) AND #status <> :deleted AND ${isSame}`,
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: {
        ":deleted": "deleted",
        ...(legalHoldStatus !== undefined && { ":legalHoldStatus": legalHoldStatus }),
      },
    });
  }

  /** Writes that block an identity, and list it. */
  block(identity: ContactIdentity): Write[] {
    return [this.#table.putWrite(blockKey(identity)), this.#table.putWrite(blockEntryKey(identity))];
  }

  unblock(identity: ContactIdentity): Write[] {
    return [this.#table.deleteWrite(blockKey(identity)), this.#table.deleteWrite(blockEntryKey(identity))];
  }

  /**
   * One page of the blocked identities, addresses before numbers, in the order of their keys. An entry whose block a
   * version without the list has removed is left out, so a page may have fewer than `limit`.
   *
   * @param page.after where the page before ended
   * @returns `last` if another page may follow: the entry after which it starts
   */
  async pageOfBlocks({ after, limit }: { after?: string | undefined; limit: number }): Promise<{
    blocked: Pick<ContactIdentity, "kind" | "key">[];
    last: string | undefined;
  }> {
    const { Items = [], LastEvaluatedKey } = await this.#table.page(blockList, {
      Limit: limit,
      ExclusiveStartKey: after === undefined ? undefined : { pk: blockList, sk: after },
    });
    const entries = Items.map(({ sk }) => toBlocked(String(sk)));
    const blocks = new Set((await this.#table.getMany(entries.map(blockKey))).map(({ pk }) => pk));
    return {
      blocked: entries.filter((entry) => blocks.has(blockKey(entry).pk)),
      last: LastEvaluatedKey && String(LastEvaluatedKey.sk),
    };
  }

  /** Whether an identity is blocked, or its domain. */
  async isBlocked(identity: ContactIdentity): Promise<boolean> {
    const blocks = refusedWith(identity).map((one) => this.#table.get(blockKey(one)));
    return (await Promise.all(blocks)).some((block) => block !== undefined);
  }

  #putAccount(account: Account, previous: Account | undefined): Write {
    const picture = JSON.stringify(account.picture);
    const item = { ...accountKey(account.userId), ...account, picture, ...listingOf(account) };
    if (previous === undefined) {
      return this.#table.putWrite(item, { ConditionExpression: "attribute_not_exists(pk)" });
    }
    return this.#table.putWrite(item, { atRevision: previous.revision });
  }

  #putClaim(identity: Identity, claim: Claim, formerOwner = claim.userId): Write {
    const condition = {
      ConditionExpression: "attribute_not_exists(pk) OR userId IN (:owner, :formerOwner)",
      ExpressionAttributeValues: { ":owner": claim.userId, ":formerOwner": formerOwner },
      onRejected: () => new IdentityTakenError(identity.kind),
    };
    // Replaces the data of the former owner.
    return formerOwner === claim.userId
      ? this.#table.setFieldsWrite(claimKey(identity), claim, condition)
      : this.#table.putWrite({ ...claimKey(identity), ...claim }, condition);
  }

  #release(identity: Identity, owner: string): Write {
    return this.#table.deleteWrite(claimKey(identity), {
      ConditionExpression: "userId = :owner",
      ExpressionAttributeValues: { ":owner": owner },
    });
  }
}

const isListed = ({ status, service }: Pick<Account, "status" | "service">) =>
  status !== "deleted" && service === undefined;

/** Attributes that list an account; none for a bot or a deleted one. */
export const listingOf = (account: Pick<Account, "userId" | "createdAt" | "status" | "service">) =>
  isListed(account) ? listed(accountList, { id: account.userId, createdAt: account.createdAt }) : undefined;

/** The identity in an entry of the block-list. */
const toBlocked = (entry: string) => ({
  kind: entry.startsWith("phone#") ? ("phone" as const) : ("email" as const),
  key: entry.slice(entry.indexOf("#") + 1),
});

const isAmong = (identities: readonly Identity[], identity: Identity): boolean =>
  identities.some((other) => isDeepStrictEqual(claimKey(other), claimKey(identity)));

const toClaim = ({
  userId,
  status,
  passwordHash,
  sessionEpoch,
  teamId,
  samlIdentity,
  email,
  unprovenEmail,
}: Account): Claim => ({
  userId,
  status,
  passwordHash,
  sessionEpoch,
  teamId,
  hasSamlIdentity: samlIdentity === undefined ? undefined : true,
  hasUnprovenEmail: email !== undefined && email === unprovenEmail ? true : undefined,
});

/** Record the relevant changes of an account in the audit trail. */
function describeAccountChange(previous: Account | undefined, next: Omit<Account, "revision">): void {
  const changed = <Name extends keyof typeof next>(name: Name) => ({
    before: previous?.[name],
    after: next[name],
  });
  describeAddresses({
    email: changed("email"),
    email_unconfirmed: changed("emailUnvalidated"),
    phone: changed("phone"),
    phone_unconfirmed: changed("phoneUnvalidated"),
    handle: changed("handle"),
  });
  if (previous !== undefined) describeAudited({ changes: { status: changed("status") } });
}
