import { randomInt } from "node:crypto";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { auditWrites } from "#shared/platform/audit/audited.ts";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import { onConditionFailed, retryStale, type Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { Table } from "#shared/platform/data/table.ts";
import { commit } from "#shared/platform/messaging/change.ts";
import { type OutboxMessage, sendAll } from "#shared/platform/messaging/outbox.ts";
import { dayOf } from "#shared/platform/usage/statistics.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type Cookie, noSessions, type Sessions, sessionsItem, sessionsKey } from "./session.ts";

/** How long the times of a user's last login and activity are kept. */
const rememberedSeconds = 2 * 365 * 86_400;

/** A user's activity before and after a write. */
export interface Marked {
  /** The last day on which the user was counted as active; absent: never. */
  readonly activeBefore?: string | undefined;
  /** Whether the user now counts as active today. */
  readonly isMarked: boolean;
}

/** Cookies of users, and of their legal hold devices. Access patterns: all of one user; all of one such device. */
export class SessionStore {
  readonly #dynamo: DynamoDBDocumentClient;
  readonly #table: Table<"accounts">;
  readonly #settings: Settings;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#dynamo = context.dynamo;
    this.#table = new Table(context, "accounts");
    this.#settings = context.config.settings;
    this.#clock = context.clock;
  }

  async get(userId: string, isLegalHold?: true): Promise<Sessions> {
    const item = await this.#table.get(sessionsKey(userId, isLegalHold));
    return item === undefined ? noSessions(userId, isLegalHold) : sessionsItem.parse(item);
  }

  /** Store the first cookie of a new account, which is active today, in the transaction that creates the account. */
  create(userId: string, cookie: Cookie): Write {
    const { createdAt } = cookie;
    const sessions = { ...noSessions(userId), cookies: { [cookie.id]: cookie }, newestAt: createdAt };
    const activeOn = dayOf(this.#clock());
    return this.#table.putWrite(this.#toItem({ ...sessions, loggedInAt: createdAt, activeOn, revision: 1 }), {
      ConditionExpression: "attribute_not_exists(pk)",
    });
  }

  /**
   * Revoke all cookies, in the transaction of the change that requires it and that raises the epoch of the account.
   *
   * @param epoch least epoch of the account that logins must have found
   * @param isErased whether also to forget when the user last logged in and was active
   */
  revokeAll(userId: string, epoch: number, { isErased = false } = {}): Write {
    const set = "SET cookies = :none, userId = :user, epoch = :epoch, newestAt = :zero";
    return this.#table.updateWrite(sessionsKey(userId), {
      UpdateExpression: `${set}${isErased ? ", expiresAtSeconds = :purge REMOVE loggedInAt, activeOn" : ""} ADD revision :one`,
      ExpressionAttributeValues: {
        ":none": {},
        ":user": userId,
        ":epoch": epoch,
        ":zero": 0,
        ":one": 1,
        ...(isErased && { ":purge": toSeconds(this.#clock()) + this.#longestSeconds() }),
      },
    });
  }

  /** Give a new legal hold device its cookie, and revoke those of the previous one. */
  startLegalHold(userId: string, cookie: Cookie): Write {
    const sessions = {
      ...noSessions(userId, true),
      cookies: { [cookie.id]: cookie },
      newestAt: cookie.createdAt,
    };
    // Never a revision of the previous cookies, so that using one of them does not bring them back.
    return this.#table.putWrite(this.#toItem({ ...sessions, revision: randomInt(1, 2 ** 40) }));
  }

  /** Revoke all cookies of a legal hold device. May be repeated. */
  removeLegalHold(userId: string): Write {
    return this.#table.deleteWrite(sessionsKey(userId, true));
  }

  /** Count a user as active on a day. Of several concurrent calls, one is told that the user was not yet. */
  async markActive(userId: string, day: string): Promise<Marked> {
    const updating = this.#table.update(sessionsKey(userId), {
      UpdateExpression: "SET activeOn = :day ADD revision :one",
      ConditionExpression: "attribute_exists(pk) AND (attribute_not_exists(activeOn) OR activeOn < :day)",
      ExpressionAttributeValues: { ":day": day, ":one": 1 },
      ReturnValues: "UPDATED_OLD",
    });
    return onConditionFailed(
      updating.then((before) => ({ isMarked: true, activeBefore: before?.activeOn as string | undefined })),
      () => ({ isMarked: false }),
    );
  }

  /**
   * Read, decide, write; repeated when another change intervened. `decide` gets a copy that it may modify; what it
   * throws is passed on, and nothing is written; `next: undefined` changes nothing. Messages join the transaction.
   * @param known state that has just been read, which saves the first read; by default the user's own sessions
   * @param conditions further conditions of the write
   */
  change<Result>(
    userId: string,
    decide: (sessions: Sessions) => {
      next: Sessions | undefined;
      result: Result;
      messages?: readonly OutboxMessage[];
    },
    known?: Sessions,
    conditions: readonly Write[] = [],
  ): Promise<Result> {
    return retryStale(async (attempt) => {
      const current = attempt === 1 && known ? known : await this.get(userId, known?.isLegalHold);
      const { next, result, messages = [] } = decide(current);
      if (next === undefined) return result;
      if (conditions.length + messages.length + auditWrites().length > 0) {
        const writes = [this.replace(current, next), ...conditions];
        await commit(this.#dynamo, { writes, messages });
        await sendAll(messages);
        return result;
      }
      await this.#table.replaceOnce(this.#successor(current, next), current.revision);
      return result;
    });
  }

  /** Replace the state that was read with a new one, in a transaction. Rejected as `StaleReadError`. */
  replace(current: Sessions, next: Sessions): Write {
    return this.#table.putWrite(this.#successor(current, next), { atRevision: current.revision });
  }

  #successor({ revision }: Sessions, next: Sessions) {
    return this.#toItem({ ...next, revision: revision + 1 });
  }

  #toItem(sessions: Sessions) {
    const { userId, isLegalHold } = sessions;
    const keepSeconds = Math.max(this.#longestSeconds(), isLegalHold ? 0 : rememberedSeconds);
    const expiresAtSeconds = toSeconds(this.#clock()) + keepSeconds;
    return { ...sessionsKey(userId, isLegalHold), ...sessions, expiresAtSeconds };
  }

  /** Returns a lifetime that no cookie exceeds. */
  #longestSeconds(): number {
    const { userTokenTimeout, sessionCookieTimeout } = this.#settings.zauth.authSettings;
    return Math.max(userTokenTimeout, sessionCookieTimeout);
  }
}
