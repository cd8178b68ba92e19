import type { BotBacklog } from "#shared/services/bot-backlog.ts";
import { hasFailedRepeatedly, longestWaitMilliseconds } from "#shared/services/lost-bot-events.ts";
import type { Service } from "#shared/services/service.ts";

/** How deliveries to a bot have fared lately. */
export type Health = Pick<BotBacklog, "failures" | "restsUntil">;

export const healthy: Health = { failures: 0 };

/** All attempts at one event, those elsewhere included. */
const maxAttempts = 4;
/** Events in a row that may fail before a bot rests. */
const failuresBeforeRest = 2;
const firstRestMilliseconds = 5000;
const longestRestMilliseconds = 120_000;

/** The health of a bot; a service that has been changed since it failed gets another chance. */
export const healthOf = (backlog: BotBacklog | undefined, { revision }: Pick<Service, "revision">): Health =>
  backlog?.serviceRevision === revision ? backlog : healthy;

/** The number of attempts left for an event: only one if the previous event was lost. */
export const attemptsLeft = ({ failures }: Health, failedAttempts: number): number =>
  failures > 0 ? 1 : Math.max(1, maxAttempts - failedAttempts);

/** The health of a bot that has not got an event. */
export function afterFailure({ failures }: Health, now: number): Required<Health> {
  const rests = failures - failuresBeforeRest;
  const rest = rests < 0 ? 0 : Math.min(firstRestMilliseconds * 2 ** rests, longestRestMilliseconds);
  return { failures: failures + 1, restsUntil: now + rest };
}

/** Why no attempt is made at an event; undefined if one is made. */
export function reasonToSkip({ restsUntil = 0 }: Health, since: number, now: number): string | undefined {
  if (now < restsUntil) return hasFailedRepeatedly;
  return now - since > longestWaitMilliseconds ? "the bot does not keep up" : undefined;
}
