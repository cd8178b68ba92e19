import { createHash } from "node:crypto";
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { type Clock, toSeconds } from "../../clock.ts";
import type { Config } from "../../config.ts";
import { onConditionFailed, StaleReadError, type Write } from "../conditions.ts";
import { type Code, type CodePurpose, codeItem, maxCodeAttempts } from "./code.ts";

/** How long a code is kept when neither it nor its buckets say anything any more. */
const purgeDelaySeconds = 3600;

/** Key of an activation, from the identity's key, and of a password reset, from the user id. */
export const hashedKey = (text: string) => createHash("sha256").update(text).digest("base64url");

/** Codes sent by mail or SMS. Access pattern: by (purpose, key). */
export class CodeStore {
  readonly tableName: string;
  readonly #client: DynamoDBDocumentClient;
  readonly #clock: Clock;

  constructor(client: DynamoDBDocumentClient, config: Config, clock: Clock) {
    this.#client = client;
    this.tableName = config.tableName("codes");
    this.#clock = clock;
  }

  itemKey = (purpose: CodePurpose, key: string) => ({ codeKey: `${purpose}#${key}` });

  async get(purpose: CodePurpose, key: string): Promise<Code | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.tableName, Key: this.itemKey(purpose, key), ConsistentRead: true }),
    );
    return Item && codeItem.parse(Item);
  }

  /** Pick a code out of what a batch read found. */
  find(purpose: CodePurpose, key: string, items: readonly Record<string, unknown>[]): Code | undefined {
    const found = items.find((item) => item.codeKey === this.itemKey(purpose, key).codeKey);
    return found && codeItem.parse(found);
  }

  /**
   * Take one of the tries before comparing: of many guesses at once, no more than `maxCodeAttempts` are looked at.
   * Whoever was right gives the try back or uses the code up. Undefined when there is no code or it is dead.
   */
  async takeAttempt(purpose: CodePurpose, key: string): Promise<Code | undefined> {
    const update = new UpdateCommand({
      TableName: this.tableName,
      Key: this.itemKey(purpose, key),
      UpdateExpression: "SET attempts = attempts + :one",
      ConditionExpression: "attribute_exists(codeKey) AND attempts < :max AND expiresAt > :now",
      ExpressionAttributeValues: { ":one": 1, ":max": maxCodeAttempts, ":now": toSeconds(this.#clock()) },
      ReturnValues: "ALL_NEW",
    });
    const result = await onConditionFailed(this.#client.send(update), () => undefined);
    return result?.Attributes && codeItem.parse(result.Attributes);
  }

  /** Give back the try of a right answer that did not use the code up. */
  async giveAttemptBack({ purpose, key, nonce }: Code): Promise<void> {
    const update = new UpdateCommand({
      TableName: this.tableName,
      Key: this.itemKey(purpose, key),
      UpdateExpression: "SET attempts = attempts - :one",
      ConditionExpression: "nonce = :nonce AND attempts > :zero",
      ExpressionAttributeValues: { ":nonce": nonce, ":one": 1, ":zero": 0 },
    });
    await onConditionFailed(this.#client.send(update), () => undefined);
  }

  /** Store a code in place of the one that was read (undefined: none). Rejected as `StaleReadError`. */
  put(code: Code, previous: Code | undefined): Write {
    const unchanged =
      previous === undefined ? { ConditionExpression: "attribute_not_exists(codeKey)" } : isStill(previous);
    return {
      item: { Put: { TableName: this.tableName, Item: this.#toItem(code), ...unchanged } },
      onRejected: () => new StaleReadError(`code ${code.purpose}`),
    };
  }

  /** Note that the code was sent again. Rejected as `StaleReadError`. */
  noteDelivery(code: Code, deliveryTat: number | undefined): Write {
    const { ExpressionAttributeValues, ...unchanged } = isStill(code);
    return {
      item: {
        Update: {
          TableName: this.tableName,
          Key: this.itemKey(code.purpose, code.key),
          UpdateExpression: "SET deliveryTat = :next",
          ExpressionAttributeValues: { ...ExpressionAttributeValues, ":next": deliveryTat ?? 0 },
          ...unchanged,
        },
      },
      onRejected: () => new StaleReadError(`code ${code.purpose}`),
    };
  }

  /** Mark as used; of two uses at once one is rejected, as `StaleReadError`. */
  use(code: Code, userId: string): Write {
    return {
      item: {
        Update: {
          TableName: this.tableName,
          Key: this.itemKey(code.purpose, code.key),
          UpdateExpression: "SET usedBy = :user, attempts = :zero REMOVE passwordHash",
          ConditionExpression: "nonce = :nonce AND attribute_not_exists(usedBy)",
          ExpressionAttributeValues: { ":nonce": code.nonce, ":user": userId, ":zero": 0 },
        },
      },
      onRejected: () => new StaleReadError(`code ${code.purpose}`),
    };
  }

  /** Remove, for a code that is gone once used; of two uses at once one is rejected, as `StaleReadError`. */
  consume(code: Code): Write {
    return {
      item: {
        Delete: {
          TableName: this.tableName,
          Key: this.itemKey(code.purpose, code.key),
          ConditionExpression: "nonce = :nonce",
          ExpressionAttributeValues: { ":nonce": code.nonce },
        },
      },
      onRejected: () => new StaleReadError(`code ${code.purpose}`),
    };
  }

  /** Remove whatever code there is. */
  discard(purpose: CodePurpose, key: string): Write {
    return { item: { Delete: { TableName: this.tableName, Key: this.itemKey(purpose, key) } } };
  }

  /** Remove whatever code there is, for a key that is not used again. */
  async remove(purpose: CodePurpose, key: string): Promise<void> {
    await this.#client.send(
      new DeleteCommand({ TableName: this.tableName, Key: this.itemKey(purpose, key) }),
    );
  }

  /**
   * End a code if it was made for an account, and forget that account. What the code says of limits stays: else the way
   * around them would be to register with an address, guess, and delete the account.
   */
  async end(purpose: CodePurpose, key: string, ownerId: string): Promise<void> {
    const update = new UpdateCommand({
      TableName: this.tableName,
      Key: this.itemKey(purpose, key),
      UpdateExpression: "SET expiresAt = :past REMOVE userId, email, phone, passwordHash, usedBy",
      ConditionExpression: "userId = :owner",
      ExpressionAttributeValues: { ":owner": ownerId, ":past": 0 },
    });
    await onConditionFailed(this.#client.send(update), () => undefined);
  }

  #toItem(code: Code) {
    const bucketsFull = toSeconds(Math.max(code.deliveryTat ?? 0, code.replacementTat ?? 0));
    const purgeAtSeconds = Math.max(code.expiresAt, bucketsFull) + purgeDelaySeconds;
    return { ...this.itemKey(code.purpose, code.key), ...code, purgeAtSeconds };
  }
}

/** Condition that a stored code is as it was read: neither replaced, guessed at, sent nor used. */
function isStill({ attempts, nonce, deliveryTat, usedBy }: Code) {
  return {
    ConditionExpression: [
      "nonce = :nonce AND attempts = :attempts",
      deliveryTat === undefined ? "attribute_not_exists(deliveryTat)" : "deliveryTat = :tat",
      usedBy === undefined ? "attribute_not_exists(usedBy)" : "usedBy = :user",
    ].join(" AND "),
    ExpressionAttributeValues: {
      ":nonce": nonce,
      ":attempts": attempts,
      ...(deliveryTat !== undefined && { ":tat": deliveryTat }),
      ...(usedBy !== undefined && { ":user": usedBy }),
    },
  };
}
