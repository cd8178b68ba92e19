import type { Clock } from "../clock.ts";
import type { Account } from "../data/account/account.ts";
import type { EventPublisher } from "../events/publisher.ts";
import { userActivate } from "../events/user-activate.ts";
import type { StagedMessage } from "../messaging/outbox.ts";
import { toSelfProfile } from "../schemas/self-profile.ts";
import type { Settings } from "../settings.ts";

export interface ActivationDeps {
  readonly clock: Clock;
  readonly events: EventPublisher;
  readonly settings: Settings;
}

/** The event that tells a user's own devices that the account has been activated. */
export function announceActivation(
  { clock, events, settings }: ActivationDeps,
  account: Account,
): StagedMessage[] {
  const { userId } = account;
  const user = toSelfProfile(account, settings, clock());
  return events.stage(userActivate, { user }, { sender: userId, recipients: [{ userId }] });
}
