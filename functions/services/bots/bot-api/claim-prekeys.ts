import type * as z from "zod";
import { spendPairs } from "#shared/conversations/connections/claim-allowances.ts";
import { checkClaimSize, claimForUsers } from "#shared/devices/claim-prekeys.ts";
import type { userClientPrekeys, userClients } from "#shared/devices/public-device-view.ts";
import type { BotActor } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { checkBot } from "./read-bot.ts";

/**
 * Claim a prekey of each of several devices for a bot, which legal hold never keeps from anybody.
 * @throws ApiError `too-many-clients`, `bot-access-denied`, `concurrent-change`
 * @see operation `bot-claim-users-prekeys`
 */
export async function claimPrekeys(
  deps: Deps,
  bot: BotActor,
  wanted: z.output<typeof userClients>,
): Promise<z.input<typeof userClientPrekeys>> {
  checkClaimSize(wanted, deps);
  const userIds = Object.keys(wanted);
  const [known, spent] = await Promise.all([
    deps.devices.getMany(userIds),
    spendPairs(deps, { kind: "prekeys", claimerId: bot.botId, userIds }),
    checkBot(deps, bot),
  ]);
  return claimForUsers(
    deps,
    { devices: new Map(known.map((one) => [one.userId, one])), isGranted: (userId) => !spent.has(userId) },
    wanted,
  );
}
