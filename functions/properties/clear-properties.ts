import { retryStale } from "#shared/data/conditions.ts";
import type { Property } from "#shared/data/property/property.ts";
import { userPropertiesClear } from "#shared/events/user-properties.ts";
import type { Actor } from "#shared/http/route.ts";
import { commitWithMessages } from "#shared/messaging/commit-with-messages.ts";
import type { Deps } from "./deps.ts";

/** Bytes of values that one transaction removes: DynamoDB limits the items of one to 4 MB. */
const maxRemovedBytes = 3 * 1024 * 1024;

/**
 * Remove all properties; when there are none, there is no event. Very large ones go in several steps, each with an
 * event, so that nothing is gone that nobody was told of.
 *
 * @see operation `clear-properties`
 */
export async function clearProperties(deps: Deps, actor: Actor): Promise<void> {
  let isCleared = false;
  while (!isCleared) isCleared = await retryStale(() => removeSome(deps, actor));
}

/** @returns whether none are left */
async function removeSome({ client, events, properties }: Deps, actor: Actor): Promise<boolean> {
  const { userId } = actor;
  const index = await properties.index(userId);
  if (index.properties.length === 0) return true;
  const removed = fitting(index.properties);
  const messages = events.stage(
    userPropertiesClear,
    {},
    { sender: userId, recipients: [{ userId }], origin: actor },
  );
  await commitWithMessages(client, properties.remove(index, removed), messages);
  return removed.length === index.properties.length;
}

function fitting(all: readonly Property[]): Property[] {
  let room = maxRemovedBytes;
  return all.filter(({ bytes }) => {
    room -= bytes;
    return room >= 0;
  });
}
