import type * as z from "zod";
import { payerOf } from "#shared/accounts/write-budget.ts";
import { readClaimAllowancesOfBot } from "#shared/conversations/connections/claim-allowances.ts";
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
  const [known, found, payer] = await Promise.all([
    deps.devices.getMany(userIds),
    deps.conversations.getPopulated(bot.conversationId),
    payerOf(deps, bot.botId),
    checkBot(deps, bot),
  ]);
  const memberIds = new Set(found?.members.map(({ userId }) => userId));
  const claim = { kind: "prekeys", claimerId: payer.userId, userIds, memberIds } as const;
  const allowanceOf = await readClaimAllowancesOfBot(deps, claim);
  return claimForUsers(
    deps,
    {
      devices: new Map(known.map((one) => [one.userId, one])),
      isGranted: (userId) => allowanceOf(userId) === "granted",
    },
    wanted,
  );
}
