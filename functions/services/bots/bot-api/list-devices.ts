import type { Device } from "#shared/devices/device.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { BotActor } from "#shared/platform/http/route.ts";
import { isActiveBot } from "#shared/services/active-bot.ts";
import { refuseSecondFactorOf } from "#shared/services/second-factor-guard.ts";
import type { Deps } from "../deps.ts";

/**
 * Devices of a user; an unknown user has none.
 * @throws ApiError `second-factor-required` where the user's team, or the server, demands one, `bot-access-denied`
 * @see operation `bot-get-user-clients`
 */
export async function listDevices(deps: Deps, bot: BotActor, userId: string): Promise<Device[]> {
  const [account, { devices }, isActive] = await Promise.all([
    deps.accounts.get(userId),
    deps.devices.get(userId),
    isActiveBot(deps, bot.botId),
  ]);
  await refuseSecondFactorOf(deps, account);
  if (!isActive) throw new ApiError("bot-access-denied");
  return Object.values(devices);
}
