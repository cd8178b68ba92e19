import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { type Clock, toSeconds } from "../../clock.ts";
import type { Config } from "../../config.ts";
import type { Settings } from "../../settings.ts";
import {
  isAtRevision,
  onConditionFailed,
  retryStale,
  StaleReadError,
  transact,
  type Write,
} from "../conditions.ts";
import { type Cookie, noSessions, type Sessions, sessionsItem } from "./session.ts";

const sessionsKey = (userId: string) => ({ pk: `user#${userId}`, sk: "sessions" });

/** Cookies of users. Access pattern: all of one user. */
export class SessionStore {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #settings: Settings;
  readonly #clock: Clock;

  constructor(client: DynamoDBDocumentClient, config: Config, clock: Clock) {
    this.#client = client;
    this.#tableName = config.tableName("accounts");
    this.#settings = config.settings;
    this.#clock = clock;
  }

  async get(userId: string): Promise<Sessions> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#tableName, Key: sessionsKey(userId), ConsistentRead: true }),
    );
    return Item === undefined ? noSessions(userId) : sessionsItem.parse(Item);
  }

  /** The first cookie of a new account, in the transaction that creates it. */
  create(userId: string, cookie: Cookie): Write {
    const sessions = { ...noSessions(userId), cookies: { [cookie.id]: cookie }, newestAt: cookie.createdAt };
    return {
      item: {
        Put: {
          TableName: this.#tableName,
          Item: this.#toItem({ ...sessions, revision: 1 }),
          ConditionExpression: "attribute_not_exists(pk)",
        },
      },
    };
  }

  /** Revoke all cookies, in the transaction that makes it necessary and that gives the account the same epoch. */
  revokeAll(userId: string, epoch: number): Write {
    return {
      item: {
        Update: {
          TableName: this.#tableName,
          Key: sessionsKey(userId),
          UpdateExpression:
            "SET cookies = :none, userId = :user, epoch = :epoch, newestAt = :zero ADD revision :one",
          ExpressionAttributeValues: { ":none": {}, ":user": userId, ":epoch": epoch, ":zero": 0, ":one": 1 },
        },
      },
    };
  }

  /**
   * Add a cookie in one write when nothing stands against it: room below the limit, a newest cookie not older than
   * `activeSince`, no revocation since `epoch` was read. False when one does: then `change` decides.
   */
  async addIfUnhindered(
    userId: string,
    cookie: Cookie,
    { epoch, activeSince }: { epoch: number; activeSince?: number },
  ): Promise<boolean> {
    const conditions = ["epoch = :epoch", "size(cookies) < :limit"];
    const values: Record<string, unknown> = {
      ":epoch": epoch,
      ":limit": this.#settings.setUserCookieLimit,
      ":cookie": cookie,
      ":now": cookie.createdAt,
      ":purge": this.#purgeAtSeconds(),
      ":one": 1,
    };
    if (activeSince !== undefined) {
      conditions.push("newestAt >= :since");
      values[":since"] = activeSince;
    }
    const update = new UpdateCommand({
      TableName: this.#tableName,
      Key: sessionsKey(userId),
      UpdateExpression:
        "SET cookies.#id = :cookie, newestAt = :now, expiresAtSeconds = :purge ADD revision :one",
      ConditionExpression: conditions.join(" AND "),
      ExpressionAttributeNames: { "#id": String(cookie.id) },
      ExpressionAttributeValues: values,
    });
    return onConditionFailed(
      this.#client.send(update).then(() => true),
      () => false,
    );
  }

  /**
   * Read, decide, write, and again when another change came between. `decide` gets a copy that it may change; what it
   * throws is passed on and nothing is written; undefined instead of a state leaves all as it is.
   * @param known state that has just been read, which saves the first read
   * @param conditions what must hold beside, when something is written
   */
  change<Result>(
    userId: string,
    decide: (sessions: Sessions) => { next: Sessions | undefined; result: Result },
    known?: Sessions,
    conditions: readonly Write[] = [],
  ): Promise<Result> {
    return retryStale(async (attempt) => {
      const current = attempt === 1 && known ? known : await this.get(userId);
      const { next, result } = decide(current);
      if (next === undefined) return result;
      if (conditions.length > 0) {
        await transact(this.#client, [this.replace(current, next), ...conditions]);
        return result;
      }
      const put = new PutCommand(this.#inPlaceOf(current, next));
      await onConditionFailed(this.#client.send(put), () => {
        throw new StaleReadError(`sessions of ${userId}`);
      });
      return result;
    });
  }

  /** A new state in place of the one that was read, in a transaction. Rejected as `StaleReadError`. */
  replace(current: Sessions, next: Sessions): Write {
    return {
      item: { Put: this.#inPlaceOf(current, next) },
      onRejected: () => new StaleReadError(`sessions of ${current.userId}`),
    };
  }

  #inPlaceOf({ revision }: Sessions, next: Sessions) {
    return {
      TableName: this.#tableName,
      Item: this.#toItem({ ...next, revision: revision + 1 }),
      ...isAtRevision(revision),
    };
  }

  #toItem(sessions: Sessions) {
    return { ...sessionsKey(sessions.userId), ...sessions, expiresAtSeconds: this.#purgeAtSeconds() };
  }

  /** No cookie that exists now can outlive this. */
  #purgeAtSeconds(): number {
    const { userTokenTimeout, sessionCookieTimeout } = this.#settings.zauth.authSettings;
    return toSeconds(this.#clock()) + Math.max(userTokenTimeout, sessionCookieTimeout);
  }
}
