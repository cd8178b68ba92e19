import { isDeepStrictEqual } from "node:util";
import type { Account } from "#shared/accounts/account.ts";
import { announceLocale, announceUpdate } from "#shared/accounts/announce-update.ts";
import { toSsoId } from "#shared/accounts/profiles/sso-id.ts";
import type { EventPublisher } from "#shared/events/publisher.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";

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
