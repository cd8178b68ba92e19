import { createHash } from "node:crypto";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import {
  onConditionFailed,
  retryStale,
  StaleReadError,
  type Write,
} from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Item, type Key, Table } from "#shared/platform/data/table.ts";
import {
  type ActivationCode,
  type AttemptedCode,
  anyNetwork,
  byKey,
  type Code,
  type CodePurpose,
  codeItem,
  countersOf,
  isLive,
  isLongCode,
  maxTotalAttempts,
  uncounted,
} from "./code.ts";
import { newNonce } from "./verification-code.ts";

/** How long a code is kept after it has expired and its buckets are full. */
const purgeDelaySeconds = 3600;

/** Derives the key of activation codes from the identity's key, and that of a password reset from the user id. */
export const hashedKey = (text: string) => createHash("sha256").update(text).digest("base64url");

const itemKey = (purpose: CodePurpose, key: string) => ({ codeKey: `${purpose}#${key}` });

/** Codes sent by email or SMS. Access pattern: by (purpose, key). */
export class CodeStore {
  readonly #table: Table<"codes">;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "codes");
    this.#clock = context.clock;
  }

  async get(purpose: CodePurpose, key: string): Promise<Code | undefined> {
    const item = await this.#table.get(itemKey(purpose, key));
    return item && this.#read(itemKey(purpose, key), item);
  }

  /** A code that cannot be read is removed, because it would block the next one. */
  async #read(key: Key<"codes">, item: Item): Promise<Code | undefined> {
    const code = codeItem.parseOrAbsent(item);
    if (code !== undefined) return code;
    const removal = this.#table.take(key, {
      ConditionExpression: "nonce = :nonce",
      ExpressionAttributeValues: { ":nonce": item.nonce ?? null },
    });
    await onConditionFailed(removal, () => undefined);
    return undefined;
  }

  /**
   * Take one of a network's attempts before comparing: of many concurrent guesses, no more than `maxCodeAttempts` are
   * compared, unless the code is too long to be guessed and many networks have guessed at it. A correct code returns the attempt or is used up. Returns undefined when there is no code or it is no
   * longer valid.
   *
   * @param network where the attempt comes from, if strangers can make attempts
   */
  async takeAttempt(
    purpose: CodePurpose,
    key: string,
    network: string = anyNetwork,
  ): Promise<AttemptedCode | undefined> {
    const counting = countUp(network);
    const item = await this.#table.updateOnce(itemKey(purpose, key), {
      UpdateExpression: `SET attempts = attempts + :one, ${counting.changes}`,
      ConditionExpression: `attribute_exists(attemptsBy) AND attempts < :all AND expiresAt > :now AND ${counting.condition}`,
      ExpressionAttributeNames: counting.names,
      ExpressionAttributeValues: {
        ...counting.values,
        ":all": maxTotalAttempts,
        ":now": toSeconds(this.#clock()),
      },
    });
    if (item === undefined)
      return isLongCode(purpose) ? this.#attemptUncounted(purpose, key, network) : undefined;
    const code = await this.#read(itemKey(purpose, key), item);
    return code && { ...code, attemptedFrom: network };
  }

  /** Counting further networks would let the item grow and void the code. */
  async #attemptUncounted(
    purpose: CodePurpose,
    key: string,
    network: string,
  ): Promise<AttemptedCode | undefined> {
    const code = await this.get(purpose, key);
    const isOpen =
      code !== undefined &&
      code.attempts >= maxTotalAttempts &&
      isLive(code, toSeconds(this.#clock()), network);
    return isOpen ? { ...code, attemptedFrom: uncounted } : undefined;
  }

  /**
   * Take one of the attempts that the keys of mails (`linkKey`) have of their own, which strangers cannot use up. A
   * nonce that no mail contains takes none, not even for a moment.
   *
   * @param nonce from the key, perhaps of a code that was replaced meanwhile; absent: the caller has already checked it
   */
  async takeAttemptByKey(
    purpose: CodePurpose,
    key: string,
    nonce?: string,
  ): Promise<AttemptedCode | undefined> {
    if (nonce === "") return undefined;
    const counting = countUp(byKey);
    const isKnown = "(nonce = :nonce AND expiresAt > :now OR earlier.#nonce > :now)";
    const item = await this.#table.updateOnce(itemKey(purpose, key), {
      UpdateExpression: `SET ${counting.changes}`,
      ConditionExpression: [
        "attribute_exists(attemptsBy)",
        nonce === undefined ? "expiresAt > :now" : isKnown,
        counting.condition,
      ].join(" AND "),
      ExpressionAttributeNames: { ...counting.names, ...(nonce !== undefined && { "#nonce": nonce }) },
      ExpressionAttributeValues: {
        ...counting.values,
        ...(nonce !== undefined && { ":nonce": nonce }),
        ":now": toSeconds(this.#clock()),
      },
    });
    const code = item && (await this.#read(itemKey(purpose, key), item));
    return code && { ...code, attemptedFrom: byKey };
  }

  /** Return the attempt of a correct code that was not used up. */
  async returnAttempt({ purpose, key, nonce, attemptedFrom }: AttemptedCode): Promise<void> {
    if (attemptedFrom === uncounted) return;
    const counters = [
      ...(attemptedFrom === byKey ? [] : ["attempts"]),
      ...countersOf(attemptedFrom).map((_, index) => `attemptsBy.#network${index}`),
    ];
    await this.#table.updateOnce(itemKey(purpose, key), {
      UpdateExpression: `SET ${counters.map((counter) => `${counter} = ${counter} - :one`).join(", ")}`,
      ConditionExpression: ["nonce = :nonce", ...counters.map((counter) => `${counter} > :zero`)].join(
        " AND ",
      ),
      ExpressionAttributeNames: countUp(attemptedFrom).names,
      ExpressionAttributeValues: { ":nonce": nonce, ":one": 1, ":zero": 0 },
    });
  }

  /** Replace the code that was read, if any, with a new one. Rejected as `StaleReadError`. */
  put(code: Code, previous: Code | undefined): Write {
    const unchanged =
      previous === undefined ? { ConditionExpression: "attribute_not_exists(codeKey)" } : isStill(previous);
    return this.#table.putWrite(this.#toItem(code), unchanged);
  }

  /** Charge the bucket of deliveries because the code is sent again. Rejected as `StaleReadError`. */
  noteDelivery(code: Code, deliveryTat: number | undefined): Write {
    const { ExpressionAttributeValues, ...unchanged } = isStill(code);
    return this.#table.updateWrite(itemKey(code.purpose, code.key), {
      UpdateExpression: "SET deliveryTat = :next",
      ExpressionAttributeValues: { ...ExpressionAttributeValues, ":next": deliveryTat ?? 0 },
      ...unchanged,
    });
  }

  /**
   * Mark one of the activation codes of an address as used, and remove the others. Rejected as `StaleReadError` when
   * they have changed since they were read, so one of two concurrent uses is rejected.
   */
  useActivation({ key, nonce }: Code, { passwordHash, ...code }: ActivationCode, userId: string): Write {
    return this.#table.updateWrite(itemKey("activation", key), {
      UpdateExpression: "SET activations = :codes, nonce = :next, attempts = :zero, attemptsBy = :none",
      ConditionExpression: "nonce = :nonce",
      ExpressionAttributeValues: {
        ":codes": [{ ...code, usedBy: userId }],
        ":next": newNonce(),
        ":nonce": nonce,
        ":zero": 0,
        ":none": {},
      },
    });
  }

  /** Remove a single-use code; one of two concurrent uses is rejected, as `StaleReadError`. */
  consume(code: Code): Write {
    return this.#table.deleteWrite(itemKey(code.purpose, code.key), {
      ConditionExpression: "nonce = :nonce",
      ExpressionAttributeValues: { ":nonce": code.nonce },
    });
  }

  /** Remove the code of a key, if there is one, in a transaction. */
  discard(purpose: CodePurpose, key: string): Write {
    return this.#table.deleteWrite(itemKey(purpose, key));
  }

  /** Remove the code of a key that will not be used again, if there is one. */
  async remove(purpose: CodePurpose, key: string): Promise<void> {
    await this.#table.delete(itemKey(purpose, key));
  }

  /**
   * Remove the activation codes that were sent for an account or used by it. The limits of the address stay: otherwise
   * one could evade them by registering with it, guessing, and deleting the account.
   */
  async endActivation(key: string, userId: string): Promise<void> {
    await retryStale(async () => {
      const current = await this.get("activation", key);
      const kept = current?.activations?.filter((code) => code.userId !== userId && code.usedBy !== userId);
      if (current === undefined || kept?.length === current.activations?.length) return;
      const update = this.#table.update(itemKey("activation", key), {
        UpdateExpression: "SET activations = :kept, nonce = :next",
        ConditionExpression: "nonce = :nonce",
        ExpressionAttributeValues: { ":kept": kept, ":next": newNonce(), ":nonce": current.nonce },
      });
      await onConditionFailed(update, () => {
        throw new StaleReadError("code activation");
      });
    });
  }

  #toItem(code: Code) {
    const bucketsFull = toSeconds(Math.max(code.deliveryTat ?? 0, ...Object.values(code.replacementTats)));
    const purgeAtSeconds = Math.max(code.expiresAt, bucketsFull) + purgeDelaySeconds;
    return { ...itemKey(code.purpose, code.key), ...code, purgeAtSeconds };
  }
}

/** Expressions that add an attempt to the counters of a network, and the condition that all of them allow it. */
function countUp(network: string) {
  const counters = countersOf(network).map(({ name, max }, index) => ({
    path: `attemptsBy.#network${index}`,
    limit: `:each${index}`,
    name: [`#network${index}`, name] as const,
    max,
  }));
  return {
    changes: counters.map(({ path }) => `${path} = if_not_exists(${path}, :zero) + :one`).join(", "),
    condition: counters
      .map(({ path, limit }) => `(attribute_not_exists(${path}) OR ${path} < ${limit})`)
      .join(" AND "),
    names: Object.fromEntries(counters.map(({ name }) => name)),
    values: {
      ":zero": 0,
      ":one": 1,
      ...Object.fromEntries(counters.map(({ limit, max }) => [limit, max])),
    },
  };
}

/** Condition that a stored code is as it was read: neither replaced, used, guessed at nor sent again. */
function isStill({ attempts, attemptsBy, nonce, deliveryTat }: Code) {
  const triedByKey = attemptsBy[byKey];
  return {
    ConditionExpression: [
      "nonce = :nonce AND attempts = :attempts",
      triedByKey === undefined ? "attribute_not_exists(attemptsBy.#byKey)" : "attemptsBy.#byKey = :byKey",
      deliveryTat === undefined ? "attribute_not_exists(deliveryTat)" : "deliveryTat = :tat",
    ].join(" AND "),
    ExpressionAttributeNames: { "#byKey": byKey },
    ExpressionAttributeValues: {
      ":nonce": nonce,
      ":attempts": attempts,
      ...(triedByKey !== undefined && { ":byKey": triedByKey }),
      ...(deliveryTat !== undefined && { ":tat": deliveryTat }),
    },
  };
}
