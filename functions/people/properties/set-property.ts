import { AccountNotFoundError } from "#shared/accounts/account-errors.ts";
import type { Property } from "#shared/accounts/properties/property.ts";
import { userPropertiesSet } from "#shared/accounts/properties/user-properties.ts";
import { chargeBytes } from "#shared/accounts/write-budget.ts";
import { parseExactJson } from "#shared/platform/exact-json.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { maxAnswerBytes, textBytes } from "#shared/platform/http/answer-size.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "./deps.ts";

/** Limit on the properties of one user. */
const maxProperties = 16;

/**
 * Set a property to any JSON value, keeping every digit of its numbers.
 *
 * @throws ApiError `property-key-too-large`, `too-many-properties`; `property-value-too-large`, also if all values are
 *   too large together; `not-found` for a deleted account
 * @throws RateLimitedError when the user has spent the daily budget for bytes
 * @see operation `set-property`
 */
export async function setProperty(
  deps: Deps,
  actor: Actor,
  { key, text }: { key: string; text: string },
): Promise<void> {
  const { accounts, events, properties, settings } = deps;
  if (key.length > settings.setPropertyMaxKeyLen) throw new ApiError("property-key-too-large");
  if (Buffer.byteLength(text) > settings.setPropertyMaxValueLen) {
    throw new ApiError("property-value-too-large");
  }
  const { userId } = actor;
  const value = parseExactJson(text);
  const json = JSON.stringify(value);
  await change(deps, async () => {
    const [account, index] = await Promise.all([accounts.get(userId), properties.index(userId)]);
    if (account === undefined) throw new ApiError("not-found");
    const others = index.properties.filter((property) => property.key !== key);
    if (others.length >= maxProperties) throw new ApiError("too-many-properties");
    if (totalBytes(others) + textBytes(json) > maxAnswerBytes) {
      throw new ApiError("property-value-too-large", { message: "The properties are too large together" });
    }
    return {
      writes: [
        ...properties.set(index, key, json),
        accounts.requireNotDeleted(userId),
        ...chargeBytes(deps, account, Buffer.byteLength(key) + Buffer.byteLength(json)),
      ],
      messages: events.toSelf(actor, userPropertiesSet, { key, value }),
    };
  }).catch(answer(AccountNotFoundError, "not-found"));
}

const totalBytes = (properties: readonly Property[]) =>
  properties.reduce((total, { bytes }) => total + bytes, 0);
