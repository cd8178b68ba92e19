import { isDeepStrictEqual } from "node:util";
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { Config } from "../../config.ts";
import { ApiError } from "../../errors.ts";
import type { Settings } from "../../settings.ts";
import { batchRead } from "../batch-read.ts";
import { StaleReadError, type Write } from "../conditions.ts";
import { type Account, accountItem, type Claim, claimItem } from "./account.ts";
import { type ContactIdentity, type Identity, identitiesOf } from "./identity.ts";

/** The claims on some identities, and which of them are blocked, in one read. */
export interface IdentityState {
  readonly claim: Claim | undefined;
  readonly isBlocked: boolean;
}

const accountKey = (userId: string) => ({ pk: `user#${userId}`, sk: "account" });
const claimKey = ({ kind, key }: Identity) => ({ pk: `${kind}#${key}`, sk: "claim" });
const blockKey = ({ kind, key }: ContactIdentity) => ({ pk: `${kind}#${key}`, sk: "block" });

/**
 * Accounts and their claims on identities. Access patterns: account by id; claim by identity; block by identity.
 * A claim is written in one transaction with its account, so an identity has one owner.
 */
export class AccountStore {
  readonly tableName: string;
  readonly #client: DynamoDBDocumentClient;
  readonly #settings: Settings;

  constructor(client: DynamoDBDocumentClient, config: Config) {
    this.#client = client;
    this.tableName = config.tableName("accounts");
    this.#settings = config.settings;
  }

  async get(userId: string): Promise<Account | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.tableName, Key: accountKey(userId), ConsistentRead: true }),
    );
    return Item && accountItem.parse(Item);
  }

  /** Accounts by id, in any order; unknown ones are left out. */
  async getMany(userIds: readonly string[]): Promise<Account[]> {
    const items = await batchRead(this.#client, [
      { tableName: this.tableName, keys: [...new Set(userIds)].map(accountKey) },
    ]);
    return items.map((item) => accountItem.parse(item));
  }

  /** Keys of accounts, for a batch read together with other tables. */
  accountKeys = (userIds: readonly string[]) => userIds.map(accountKey);

  /** Pick an account out of what a batch read of `accountKeys` found. */
  accountOf(userId: string, items: readonly Record<string, unknown>[]): Account | undefined {
    const { pk, sk } = accountKey(userId);
    const found = items.find((item) => item.pk === pk && item.sk === sk);
    return found && accountItem.parse(found);
  }

  /** Claims by identity; undefined where nobody has it. */
  async findClaims(identities: readonly Identity[]): Promise<(Claim | undefined)[]> {
    const keys = identities.map(claimKey);
    const items = await batchRead(this.#client, [
      { tableName: this.tableName, keys: [...new Map(keys.map((key) => [key.pk, key])).values()] },
    ]);
    return keys.map(({ pk }) => {
      const found = items.find((item) => item.pk === pk);
      return found && claimItem.parse(found);
    });
  }

  async findClaim(identity: Identity): Promise<Claim | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.tableName, Key: claimKey(identity), ConsistentRead: true }),
    );
    return Item && claimItem.parse(Item);
  }

  /** Keys of an identity's claim and block, for a batch read together with other tables. */
  stateKeys = (identity: ContactIdentity) => [claimKey(identity), blockKey(identity)];

  /** Pick an identity's state out of what a batch read of `stateKeys` found. */
  stateOf(identity: ContactIdentity, items: readonly Record<string, unknown>[]): IdentityState {
    const { pk } = claimKey(identity);
    const claim = items.find((item) => item.pk === pk && item.sk === "claim");
    return {
      claim: claim && claimItem.parse(claim),
      isBlocked: items.some((item) => item.pk === pk && item.sk === "block"),
    };
  }

  /**
   * Writes that bring account and claims from one state to the next; `previous` undefined creates the account.
   * Rejected as `StaleReadError` when the account has changed since `previous` was read, and as ApiError `key-exists` or
   * `handle-exists` when another account holds an identity.
   */
  save(previous: Account | undefined, next: Omit<Account, "revision">): Write[] {
    const account: Account = { ...next, revision: (previous?.revision ?? 0) + 1 };
    const before = previous ? identitiesOf(previous, this.#settings) : [];
    const after = identitiesOf(next, this.#settings);
    const isIn = (identities: readonly Identity[]) => (identity: Identity) =>
      identities.some(({ kind, key }) => kind === identity.kind && key === identity.key);
    const released = before.filter((identity) => !isIn(after)(identity));
    const isNewlyClaimed = (identity: Identity) => !isIn(before)(identity);
    const keepsClaims = previous !== undefined && isDeepStrictEqual(toClaim(previous), toClaim(account));
    return [
      this.#putAccount(account, previous),
      ...released.map((identity) => this.#release(identity, account.userId)),
      ...after
        .filter((identity) => isNewlyClaimed(identity) || !keepsClaims)
        .map((identity) => this.#putClaim(identity, toClaim(account))),
    ];
  }

  /**
   * Condition that an account has not been deleted, for what would otherwise outlive its erasure. Rejected as ApiError
   * `not-found`.
   */
  requireNotDeleted(userId: string): Write {
    return {
      item: {
        ConditionCheck: {
          TableName: this.tableName,
          Key: accountKey(userId),
          ConditionExpression: "attribute_exists(pk) AND #status <> :deleted",
          ExpressionAttributeNames: { "#status": "status" },
          ExpressionAttributeValues: { ":deleted": "deleted" },
        },
      },
      onRejected: () => new ApiError("not-found"),
    };
  }

  /** Condition that an account is active. Rejected as ApiError `forbidden`. */
  requireActive(userId: string): Write {
    return {
      item: {
        ConditionCheck: {
          TableName: this.tableName,
          Key: accountKey(userId),
          ConditionExpression: "#status = :active",
          ExpressionAttributeNames: { "#status": "status" },
          ExpressionAttributeValues: { ":active": "active" },
        },
      },
      onRejected: () => new ApiError("forbidden"),
    };
  }

  async block(identity: ContactIdentity): Promise<void> {
    await this.#client.send(new PutCommand({ TableName: this.tableName, Item: blockKey(identity) }));
  }

  async unblock(identity: ContactIdentity): Promise<void> {
    await this.#client.send(new DeleteCommand({ TableName: this.tableName, Key: blockKey(identity) }));
  }

  async isBlocked(identity: ContactIdentity): Promise<boolean> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.tableName, Key: blockKey(identity), ConsistentRead: true }),
    );
    return Item !== undefined;
  }

  #putAccount(account: Account, previous: Account | undefined): Write {
    const picture = JSON.stringify(account.picture);
    const item = {
      TableName: this.tableName,
      Item: { ...accountKey(account.userId), ...account, picture },
    };
    if (previous === undefined) {
      return { item: { Put: { ...item, ConditionExpression: "attribute_not_exists(pk)" } } };
    }
    return {
      item: {
        Put: {
          ...item,
          ConditionExpression: "revision = :revision",
          ExpressionAttributeValues: { ":revision": previous.revision },
        },
      },
      onRejected: () => new StaleReadError(`account ${account.userId}`),
    };
  }

  #putClaim(identity: Identity, claim: Claim): Write {
    return {
      item: {
        Put: {
          TableName: this.tableName,
          Item: { ...claimKey(identity), ...claim },
          ConditionExpression: "attribute_not_exists(pk) OR userId = :owner",
          ExpressionAttributeValues: { ":owner": claim.userId },
        },
      },
      onRejected: () => new ApiError(identity.kind === "handle" ? "handle-exists" : "key-exists"),
    };
  }

  #release(identity: Identity, owner: string): Write {
    return {
      item: {
        Delete: {
          TableName: this.tableName,
          Key: claimKey(identity),
          ConditionExpression: "userId = :owner",
          ExpressionAttributeValues: { ":owner": owner },
        },
      },
      onRejected: () => new StaleReadError(`claim of account ${owner}`),
    };
  }
}

const toClaim = ({ userId, status, passwordHash, sessionEpoch, teamId }: Account): Claim => ({
  userId,
  status,
  passwordHash,
  sessionEpoch,
  teamId,
});
