import type * as z from "zod";
import type { Account } from "#shared/accounts/account.ts";
import { userUpdate, userUpdatePrivately } from "#shared/accounts/events/user-update.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { Deps } from "./deps.ts";

type ChangedFields = Omit<z.input<typeof userUpdate.schema>["user"], "id" | "sso_id_deleted">;

/** The event that tells the user's own devices, contacts and team which fields of the profile have changed. */
export function announceUpdate(
  { events }: Deps,
  { userId, teamId }: Account,
  origin: Actor,
  changed: ChangedFields,
): OutboxMessage[] {
  const user = { id: userId, ...changed, sso_id_deleted: false };
  const membersOf = teamId === undefined ? undefined : { teamId, members: "all" as const };
  const audience = { group: userId, recipients: [{ userId }], contactsOf: userId, membersOf, origin };
  return events.to(audience, userUpdate, { user });
}

/** The event that tells the user's own devices that the locale has changed. */
export function announceLocale({ events }: Deps, actor: Actor, locale: string): OutboxMessage[] {
  return events.toSelf(actor, userUpdatePrivately, { user: { id: actor.userId, locale } });
}
