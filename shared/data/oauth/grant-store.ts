import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { toSeconds } from "../../clock.ts";
import type { Config } from "../../config.ts";
import { batchRead } from "../batch-read.ts";
import {
  isAtRevision,
  onConditionFailed,
  retryStale,
  StaleReadError,
  transact,
  type Write,
} from "../conditions.ts";
import { type Grant, type Grants, grantsItem, type RefreshToken, refreshTokenItem } from "./grant.ts";
import { type OAuthClient, oauthClientItem } from "./oauth-client.ts";
import { oauthClientKey } from "./oauth-client-store.ts";

const grantsKey = (userId: string) => ({ owner: `user#${userId}`, entry: "grants" });
const tokenKey = (refreshTokenId: string) => ({ owner: `refresh-token#${refreshTokenId}`, entry: "token" });

/** The grants of a user are not as the write expects; they come along. */
class GrantsChangedError extends Error {
  override readonly name = "GrantsChangedError";
  readonly current: Grants | undefined;

  constructor(current: Grants | undefined) {
    super("The grants have changed");
    this.current = current;
  }
}

/**
 * What users have granted to apps. Access patterns: all grants of a user; a refresh token together with its app.
 */
export class GrantStore {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(client: DynamoDBDocumentClient, config: Config) {
    this.#client = client;
    this.#tableName = config.tableName("oauth");
  }

  async ofUser(userId: string): Promise<Grants> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#tableName, Key: grantsKey(userId), ConsistentRead: true }),
    );
    return Item === undefined ? { userId, revision: 0, grants: {} } : grantsItem.parse(Item);
  }

  /** A refresh token, used or not, and the app that presents it, in one read. */
  async findToken(
    refreshTokenId: string,
    clientId: string,
  ): Promise<{ token: RefreshToken | undefined; client: OAuthClient | undefined }> {
    const items = await batchRead(this.#client, [
      { tableName: this.#tableName, keys: [tokenKey(refreshTokenId), oauthClientKey(clientId)] },
    ]);
    const token = items.find(({ entry }) => entry === "token");
    const client = items.find(({ entry }) => entry === "client");
    return {
      token: token && refreshTokenItem.parse(token),
      client: client && oauthClientItem.parse(client),
    };
  }

  /**
   * Store a grant with its first refresh token. One write while there is room; at the limit the grants that expired and
   * then those whose tokens are oldest make room.
   *
   * @param condition write that joins the transaction
   */
  async add(userId: string, grant: Grant, { limit, condition }: { limit: number; condition: Write }) {
    const writes = [this.#putToken(userId, grant), condition];
    try {
      await transact(this.#client, [this.#addWithin(userId, grant, limit), ...writes]);
    } catch (error) {
      if (!(error instanceof GrantsChangedError)) throw error;
      let current = error.current ?? { userId, revision: 0, grants: {} };
      await retryStale(async (attempt) => {
        if (attempt > 1) current = await this.ofUser(userId);
        const kept = Object.values(current.grants)
          .filter(({ expiresAt }) => expiresAt > grant.issuedAt)
          .toSorted((one, other) => other.issuedAt - one.issuedAt)
          .slice(0, limit - 1);
        await transact(this.#client, [this.#replace(current, [...kept, grant]), ...writes]);
      });
    }
  }

  /**
   * Put the next refresh token in the place of one, when that is the good one of its grant.
   *
   * @param condition write that joins the transaction
   * @returns the grant as it is instead, undefined when it is gone; `"rotated"` when all went well
   */
  async rotate(
    { userId, grantId }: RefreshToken,
    next: Grant & { readonly previousTokenId: string },
    condition: Write,
  ): Promise<"rotated" | Grant | undefined> {
    const update: Write = {
      item: {
        Update: {
          TableName: this.#tableName,
          Key: grantsKey(userId),
          UpdateExpression: "SET grants.#grant = :next ADD revision :one",
          ConditionExpression: "grants.#grant.refreshTokenId = :used",
          ExpressionAttributeNames: { "#grant": grantId },
          ExpressionAttributeValues: { ":next": next, ":used": next.previousTokenId, ":one": 1 },
        },
      },
      onRejected: grantsChanged,
    };
    try {
      await transact(this.#client, [update, this.#putToken(userId, next), condition]);
      return "rotated";
    } catch (error) {
      if (error instanceof GrantsChangedError) return error.current?.grants[grantId];
      throw error;
    }
  }

  /** Take grants away from apps. @returns those that were taken */
  async remove(userId: string, isRemoved: (grant: Grant) => boolean): Promise<Grant[]> {
    return retryStale(async () => {
      const current = await this.ofUser(userId);
      const grants = Object.values(current.grants);
      const removed = grants.filter(isRemoved);
      if (removed.length > 0) {
        const kept = grants.filter((grant) => !removed.includes(grant));
        const { item } = this.#replace(current, kept);
        const put = new PutCommand(item.Put as NonNullable<typeof item.Put>);
        await onConditionFailed(this.#client.send(put), () => {
          throw new StaleReadError(`grants of ${userId}`);
        });
      }
      return removed;
    });
  }

  /** Forget what a user has granted; what remains of used refresh tokens leads nowhere, and expires. */
  async removeAll(userId: string): Promise<void> {
    await this.#client.send(new DeleteCommand({ TableName: this.#tableName, Key: grantsKey(userId) }));
  }

  #addWithin(userId: string, grant: Grant, limit: number): Write {
    return {
      item: {
        Update: {
          TableName: this.#tableName,
          Key: grantsKey(userId),
          UpdateExpression: "SET grants.#grant = :grant ADD revision :one",
          ConditionExpression: "attribute_exists(grants) AND size(grants) < :limit",
          ExpressionAttributeNames: { "#grant": grant.grantId },
          ExpressionAttributeValues: { ":grant": grant, ":limit": limit, ":one": 1 },
        },
      },
      onRejected: grantsChanged,
    };
  }

  #replace({ userId, revision }: Grants, grants: readonly Grant[]): Write {
    return {
      item: {
        Put: {
          TableName: this.#tableName,
          Item: {
            ...grantsKey(userId),
            userId,
            revision: revision + 1,
            grants: Object.fromEntries(grants.map((grant) => [grant.grantId, grant])),
          },
          ...isAtRevision(revision),
        },
      },
      onRejected: () => new StaleReadError(`grants of ${userId}`),
    };
  }

  #putToken(userId: string, { refreshTokenId, grantId, clientId, scope, expiresAt }: Grant): Write {
    const token: RefreshToken = { refreshTokenId, grantId, userId, clientId, scope, expiresAt };
    return {
      item: {
        Put: {
          TableName: this.#tableName,
          Item: { ...tokenKey(refreshTokenId), ...token, purgeAtSeconds: toSeconds(expiresAt) },
        },
      },
    };
  }
}

const grantsChanged = (existing: Record<string, unknown> | undefined) =>
  new GrantsChangedError(existing && grantsItem.parse(existing));
