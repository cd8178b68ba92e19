import { userPropertiesDelete } from "#shared/accounts/properties/user-properties.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "./deps.ts";

/** Delete a property; an unknown one causes no event. @see operation `delete-property` */
export async function deleteProperty(deps: Deps, actor: Actor, key: string): Promise<void> {
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
