import { AccountNotFoundError } from "#shared/accounts/account-errors.ts";
import {
  type Property,
  userPropertiesClear,
  userPropertiesDelete,
  userPropertiesSet,
} from "#shared/accounts/properties/property.ts";
import { chargeBytes } from "#shared/accounts/write-budget.ts";
import { parseExactJson } from "#shared/platform/exact-json.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { maxAnswerBytes, textBytes } from "#shared/platform/http/answer-size.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { type Change, change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { properties } = deps;
  return {
    "set-property": async ({ actor, params, body }) => {
      await setProperty(deps, actor, { key: params.key, text: body });
      return {};
    },

    "get-property": async ({ actor, params }) => {
      const json = await properties.get(actor.userId, params.key);
      return json === undefined ? { status: 404 } : { status: 200, body: parseExactJson(json) };
    },

    "delete-property": async ({ actor, params }) => {
      await deleteProperty(deps, actor, params.key);
      return {};
    },

    "list-property-keys": async ({ actor }) => {
      const index = await properties.index(actor.userId);
      return { body: index.properties.map(({ key }) => key) };
    },

    "clear-properties": async ({ actor }) => {
      await clearProperties(deps, actor);
      return {};
    },

    "list-properties": async ({ actor }) => {
      const values = await properties.all(actor.userId);
      return { body: Object.fromEntries(values.map(([key, json]) => [key, parseExactJson(json)])) };
    },
  };
}

/** Limit on the values that one transaction removes: DynamoDB allows 4 MB of items in one. */
const maxRemovedBytes = 3 * 1024 * 1024;

/**
 * Delete all properties; if there are none, no event is sent. Very large ones are deleted in several steps, each with
 * an event, so that every deletion is announced.
 *
 * @see operation `clear-properties`
 */
async function clearProperties(deps: Deps, actor: Actor): Promise<void> {
  let isCleared = false;
  while (!isCleared) isCleared = await change(deps, () => removeSome(deps, actor));
}

/** Deletes what fits into one transaction. @returns whether none are left */
async function removeSome(
  { events, properties }: Deps,
  actor: Actor,
): Promise<Partial<Change> & { result: boolean }> {
  const index = await properties.index(actor.userId);
  if (index.properties.length === 0) return { result: true };
  const removed = fitting(index.properties);
  return {
    writes: properties.remove(index, removed),
    messages: events.toSelf(actor, userPropertiesClear, {}),
    result: removed.length === index.properties.length,
  };
}

function fitting(all: readonly Property[]): Property[] {
  let room = maxRemovedBytes;
  return all.filter(({ bytes }) => {
    room -= bytes;
    return room >= 0;
  });
}

/** Delete a property; an unknown one causes no event. @see operation `delete-property` */
async function deleteProperty(deps: Deps, actor: Actor, key: string): Promise<void> {
  const { events, properties } = deps;
  await change(deps, async () => {
    const index = await properties.index(actor.userId);
    const removed = index.properties.filter((property) => property.key === key);
    if (removed.length === 0) return undefined;
    return {
      writes: properties.remove(index, removed),
      messages: events.toSelf(actor, userPropertiesDelete, { key }),
    };
  });
}

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
async function setProperty(
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
