import { retryStale } from "#shared/data/conditions.ts";
import { userPropertiesDelete } from "#shared/events/user-properties.ts";
import type { Actor } from "#shared/http/route.ts";
import { commitWithMessages } from "#shared/messaging/commit-with-messages.ts";
import type { Deps } from "./deps.ts";

/** Remove a property; one that is not there causes no event. @see operation `delete-property` */
export async function deleteProperty(
  { client, events, properties }: Deps,
  actor: Actor,
  key: string,
): Promise<void> {
  const { userId } = actor;
  await retryStale(async () => {
    const index = await properties.index(userId);
    const removed = index.properties.filter((property) => property.key === key);
    if (removed.length === 0) return;
    const messages = events.stage(
      userPropertiesDelete,
      { key },
      { sender: userId, recipients: [{ userId }], origin: actor },
    );
    await commitWithMessages(client, properties.remove(index, removed), messages);
  });
}
