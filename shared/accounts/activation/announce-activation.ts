import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { Account } from "../account.ts";
import { userActivate } from "../events.ts";
import { toSelfProfile } from "../profiles/self-profile.ts";

/** Dependencies of announcing an activation. */
export type ActivationDeps = Pick<AccountDeps, "clock" | "events" | "settings">;

/**
 * Creates the event that tells a user's own devices that the account has been activated.
 * @param options.isNew whether the same transaction creates the account
 */
export function announceActivation(
  { clock, events, settings }: ActivationDeps,
  account: Account,
  { isNew = false } = {},
): OutboxMessage[] {
  const { userId } = account;
  const user = toSelfProfile(account, settings, clock());
  const recipient = { userId, ...(isNew && { isNew }) };
  return events.to({ group: userId, recipients: [recipient], origin: { userId } }, userActivate, { user });
}
