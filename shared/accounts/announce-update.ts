import { isDeepStrictEqual } from "node:util";
import type * as z from "zod";
import { toSsoId } from "#shared/accounts/profiles/sso-id.ts";
import type { EventPublisher } from "#shared/events/publisher.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { Account } from "./account.ts";
import type { AccountDeps } from "./account-deps.ts";
import { userUpdate, userUpdatePrivately } from "./events.ts";

type Deps = Pick<AccountDeps, "events">;

type ChangedFields = Partial<Omit<z.input<typeof userUpdate.schema>["user"], "id">>;

/**
 * Create the event that tells the user's own devices, contacts and team which fields of the profile have changed.
 * @param origin absent: the change was not the user's
 */
export function announceUpdate(
  { events }: Deps,
  { userId, teamId }: Pick<Account, "userId" | "teamId">,
  origin: Actor | undefined,
  changed: ChangedFields,
): OutboxMessage[] {
  const user = { id: userId, sso_id_deleted: false, ...changed };
  const membersOf = teamId === undefined ? undefined : { teamId, members: "all" as const };
  const audience = { group: userId, recipients: [{ userId }], contactsOf: userId, membersOf, origin };
  return events.to(audience, userUpdate, { user });
}

/** Create the event that tells the user's own devices that the locale has changed. */
export function announceLocale({ events }: Deps, actor: Actor, locale: string): OutboxMessage[] {
  return events.toSelf(actor, userUpdatePrivately, { user: { id: actor.userId, locale } });
}

/** Creates an event for each change that provisioning makes to a profile. */
export function announceChanges(
  deps: { readonly events: EventPublisher },
  before: Account,
  after: Account,
): OutboxMessage[] {
  const { userId, name, handle, locale } = after;
  const ssoId = toSsoId(after);
  const changes = [
    ...(name === before.name ? [] : [{ name }]),
    ...(handle === before.handle ? [] : [{ handle }]),
    ...(isDeepStrictEqual(ssoId, toSsoId(before))
      ? []
      : [{ sso_id: ssoId, sso_id_deleted: ssoId === undefined }]),
  ];
  return [
    ...changes.flatMap((changed) => announceUpdate(deps, after, undefined, changed)),
    ...(locale === before.locale ? [] : announceLocale(deps, { userId }, locale)),
  ];
}
