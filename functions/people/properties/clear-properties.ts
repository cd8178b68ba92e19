import type { Property } from "#shared/accounts/properties/property.ts";
import { userPropertiesClear } from "#shared/accounts/properties/user-properties.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { type Change, change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "./deps.ts";

/** Limit on the values that one transaction removes: DynamoDB allows 4 MB of items in one. */
const maxRemovedBytes = 3 * 1024 * 1024;

/**
 * Delete all properties; if there are none, no event is sent. Very large ones are deleted in several steps, each with
 * an event, so that every deletion is announced.
 *
 * @see operation `clear-properties`
 */
export async function clearProperties(deps: Deps, actor: Actor): Promise<void> {
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
