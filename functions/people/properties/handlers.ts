import type { Property } from "#shared/accounts/properties/property.ts";
import { userPropertiesClear, userPropertiesDelete } from "#shared/accounts/properties/user-properties.ts";
import { parseExactJson } from "#shared/platform/exact-json.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { type Change, change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./routes.ts";
import { setProperty } from "./set-property.ts";

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
