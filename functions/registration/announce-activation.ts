import type { Account } from "#shared/data/account/account.ts";
import { userActivate } from "#shared/events/user-activate.ts";
import type { StagedMessage } from "#shared/messaging/outbox.ts";
import { toSelfProfile } from "#shared/schemas/self-profile.ts";
import type { Deps } from "./deps.ts";

/** The event that tells a user's own devices that the account has been activated. */
export function announceActivation({ clock, events, settings }: Deps, account: Account): StagedMessage[] {
  const { userId } = account;
  const user = toSelfProfile(account, settings, clock());
  return events.stage(userActivate, { user }, { sender: userId, recipients: [{ userId }] });
}
