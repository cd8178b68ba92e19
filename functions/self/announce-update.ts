import type * as z from "zod";
import { userUpdate, userUpdatePrivately } from "#shared/events/user-update.ts";
import type { Actor } from "#shared/http/route.ts";
import type { StagedMessage } from "#shared/messaging/outbox.ts";
import type { Deps } from "./deps.ts";

type ChangedFields = Omit<z.input<typeof userUpdate.schema>["user"], "id" | "sso_id_deleted">;

/** The event that tells the user's own devices and contacts which fields of the profile have changed. */
export function announceUpdate({ events }: Deps, actor: Actor, changed: ChangedFields): StagedMessage[] {
  const { userId } = actor;
  return events.stage(
    userUpdate,
    { user: { id: userId, ...changed, sso_id_deleted: false } },
    { sender: userId, recipients: [{ userId }], contactsOf: userId, origin: actor },
  );
}

/** The event that tells the user's own devices of another locale. */
export function announceLocale({ events }: Deps, actor: Actor, locale: string): StagedMessage[] {
  const { userId } = actor;
  const to = { sender: userId, recipients: [{ userId }], origin: actor };
  return events.stage(userUpdatePrivately, { user: { id: userId, locale } }, to);
}
