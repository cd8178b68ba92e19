import type { Bot } from "#shared/conversations/bots/bot.ts";
import { removeBot } from "#shared/conversations/bots/remove-bot.ts";
import { chunksOfStream } from "#shared/platform/chunks.ts";
import { Failures } from "#shared/platform/failures.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { ServiceJob } from "#shared/services/service-job.ts";
import type { Deps } from "./deps.ts";

type Order = Extract<ServiceJob, { job: "leave-team" }>;

/**
 * Remove the bots of a service from all conversations of a team, in the name of the user who has taken it off the list,
 * even if that user is not in them. If the team admits the service again, the bots that are left stay.
 * @returns false when time ran out
 */
export async function leaveTeam(deps: Deps, order: Order, isTimeUp: TimeLimit): Promise<boolean> {
  const { teamId, actor } = order;
  if (await deps.whitelist.isAdmitted(teamId, order)) return true;
  return removeBots(deps, deps.bots.ofServiceInTeam(order, teamId), { actor, isTimeUp });
}

/** Bots removed concurrently. */
const concurrency = 16;

interface Options {
  /** The user who removes them; absent: the bots leave by themselves. */
  readonly actor?: Actor;
  readonly isTimeUp: TimeLimit;
}

/**
 * Remove bots from their conversations, whose members are told. A bot that cannot be removed does not delay the others.
 * @returns false when time ran out
 */
export async function removeBots(
  deps: Deps,
  bots: AsyncIterable<Bot>,
  { actor, isTimeUp }: Options,
): Promise<boolean> {
  const failures = new Failures("bots");
  for await (const group of chunksOfStream(bots, concurrency)) {
    if (isTimeUp()) return false;
    await failures.collectAll(group.map((bot) => removeBot(deps, bot, actor)));
  }
  return failures.throwOr(true);
}
