import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { toSeconds } from "#shared/platform/clock.ts";
import { retryStale, transact, type Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { Table } from "#shared/platform/data/table.ts";
import { commit } from "#shared/platform/messaging/change.ts";
import { mayCommit } from "#shared/platform/messaging/commit-guard.ts";
import { type App, appItem } from "./app.ts";
import { appKey } from "./app-store.ts";
import { type Grant, type Grants, grantsItem, type RefreshToken, refreshTokenItem } from "./grant.ts";

const grantsKey = (userId: string) => ({ owner: `user#${userId}`, entry: "grants" });
const tokenKey = (refreshTokenId: string) => ({ owner: `refresh-token#${refreshTokenId}`, entry: "token" });

/** The grants of a user differ from those that a write expects; carries the current ones. */
class GrantsChangedError extends Error {
  override readonly name = "GrantsChangedError";
  readonly current: Grants | undefined;

  constructor(current: Grants | undefined) {
    super("The grants have changed");
    this.current = current;
  }
}

/** Grants of users to apps. Access patterns: all grants of a user; a refresh token together with its app. */
export class GrantStore {
  readonly #dynamo: DynamoDBDocumentClient;
  readonly #table: Table<"oauth">;

  constructor(context: StoreContext) {
    this.#dynamo = context.dynamo;
    this.#table = new Table(context, "oauth");
  }

  async ofUser(userId: string): Promise<Grants> {
    const item = await this.#table.get(grantsKey(userId));
    return item === undefined ? { userId, revision: 0, grants: {} } : grantsItem.parse(item);
  }

  /** Reads a refresh token, used or not. */
  async getToken(refreshTokenId: string): Promise<RefreshToken | undefined> {
    const item = await this.#table.get(tokenKey(refreshTokenId));
    return item && refreshTokenItem.parse(item);
  }

  /** Reads a refresh token, used or not, together with the app that presents it. */
  async findToken(
    refreshTokenId: string,
    appId: string,
  ): Promise<{ token: RefreshToken | undefined; app: App | undefined }> {
    const items = await this.#table.getMany([tokenKey(refreshTokenId), appKey(appId)]);
    const token = items.find(({ entry }) => entry === "token");
    const app = items.find(({ entry }) => entry === "client");
    return {
      token: token && refreshTokenItem.parse(token),
      app: app && appItem.parse(app),
    };
  }

  /**
   * Store a grant with its first refresh token. Takes one write while there is room; at the limit, expired grants and
   * then those with the oldest tokens are dropped.
   *
   * @param condition write that joins the transaction
   */
  async add(userId: string, grant: Grant, { limit, condition }: { limit: number; condition: Write }) {
    const writes = [this.#putToken(userId, grant), condition];
    try {
      await transact(this.#dynamo, [this.#addWithin(userId, grant, limit), ...writes]);
    } catch (error) {
      if (!(error instanceof GrantsChangedError)) throw error;
      let current = error.current ?? { userId, revision: 0, grants: {} };
      await retryStale(async (attempt) => {
        if (attempt > 1) current = await this.ofUser(userId);
        const kept = Object.values(current.grants)
          .filter(({ expiresAt }) => expiresAt > grant.issuedAt)
          .toSorted((one, other) => other.issuedAt - one.issuedAt)
          .slice(0, limit - 1);
        await transact(this.#dynamo, [this.#replace(current, [...kept, grant]), ...writes]);
      });
    }
  }

  /**
   * Replace a refresh token with the next one, provided that it is the current one of its grant.
   *
   * @param condition write that joins the transaction
   * @returns `"rotated"`, or the present grant if the token is not the current one; undefined if the grant no longer
   * exists
   */
  async rotate(
    { userId, grantId }: RefreshToken,
    next: Grant & { readonly previousTokenId: string },
    condition: Write,
  ): Promise<"rotated" | Grant | undefined> {
    const update = this.#table.updateWrite(grantsKey(userId), {
      UpdateExpression: "SET grants.#grant = :next ADD revision :one",
      ConditionExpression: "grants.#grant.refreshTokenId = :used",
      ExpressionAttributeNames: { "#grant": grantId },
      ExpressionAttributeValues: { ":next": next, ":used": next.previousTokenId, ":one": 1 },
      onRejected: grantsChanged,
    });
    try {
      await transact(this.#dynamo, [update, this.#putToken(userId, next), condition]);
      return "rotated";
    } catch (error) {
      if (error instanceof GrantsChangedError) return error.current?.grants[grantId];
      throw error;
    }
  }

  /** Revoke grants, provided that the caller may make changes. @returns those that were revoked */
  async remove(userId: string, isRemoved: (grant: Grant) => boolean): Promise<Grant[]> {
    return retryStale(async () => {
      const [current] = await Promise.all([this.ofUser(userId), mayCommit()]);
      const grants = Object.values(current.grants);
      const removed = grants.filter(isRemoved);
      if (removed.length > 0) {
        const kept = grants.filter((grant) => !removed.includes(grant));
        await commit(this.#dynamo, { writes: [this.#replace(current, kept)] });
      }
      return removed;
    });
  }

  /** Delete all grants of a user; the items of refresh tokens are useless without them, and expire. */
  async removeAll(userId: string): Promise<void> {
    await this.#table.delete(grantsKey(userId));
  }

  #addWithin(userId: string, grant: Grant, limit: number): Write {
    return this.#table.updateWrite(grantsKey(userId), {
      UpdateExpression: "SET grants.#grant = :grant ADD revision :one",
      ConditionExpression: "attribute_exists(grants) AND size(grants) < :limit",
      ExpressionAttributeNames: { "#grant": grant.grantId },
      ExpressionAttributeValues: { ":grant": grant, ":limit": limit, ":one": 1 },
      onRejected: grantsChanged,
    });
  }

  #replace(current: Grants, grants: readonly Grant[]): Write {
    return this.#table.putWrite(toItem(current, grants), { atRevision: current.revision });
  }

  #putToken(userId: string, { refreshTokenId, grantId, clientId, scope, openId, expiresAt }: Grant): Write {
    const token: RefreshToken = {
      ...{ refreshTokenId, grantId, userId, clientId, scope, expiresAt },
      ...(openId && { openId }),
    };
    return this.#table.putWrite({
      ...tokenKey(refreshTokenId),
      ...token,
      purgeAtSeconds: toSeconds(expiresAt),
    });
  }
}

const toItem = (current: Grants, grants: readonly Grant[]) => ({
  ...grantsKey(current.userId),
  ...current,
  revision: current.revision + 1,
  grants: Object.fromEntries(grants.map((grant) => [grant.grantId, grant])),
});

const grantsChanged = (existing: Record<string, unknown> | undefined) =>
  new GrantsChangedError(existing && grantsItem.parse(existing));
