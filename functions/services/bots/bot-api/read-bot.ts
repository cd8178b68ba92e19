import { type Account, currentStatus } from "#shared/accounts/account.ts";
import type { Device } from "#shared/devices/device.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { BotActor } from "#shared/platform/http/route.ts";
import { isActiveBot } from "#shared/services/active-bot.ts";
import type { Deps } from "../deps.ts";

type Bot = Pick<BotActor, "botId">;

/** Read the account of a bot, whose token outlives it. @returns undefined when it has been removed */
export async function readBot(
  { accounts, clock }: Pick<Deps, "accounts" | "clock">,
  { botId }: Bot,
): Promise<Account | undefined> {
  const account = await accounts.get(botId);
  return account !== undefined && currentStatus(account, clock()) !== "deleted" ? account : undefined;
}

/** Check that a bot may act. @throws ApiError `bot-access-denied` */
export async function checkBot(
  deps: Pick<Deps, "accounts" | "clock" | "services">,
  { botId }: Bot,
): Promise<void> {
  if (!(await isActiveBot(deps, botId))) throw new ApiError("bot-access-denied");
}

/** Read the only device of a bot, which is erased some time after the bot is removed. */
export async function findDeviceOfBot(
  deps: Pick<Deps, "accounts" | "clock" | "devices">,
  bot: Bot,
): Promise<Device | undefined> {
  const [account, { devices }] = await Promise.all([readBot(deps, bot), deps.devices.get(bot.botId)]);
  return account && Object.values(devices)[0];
}

/** @throws ApiError `client-not-found` */
export async function deviceOfBot(
  deps: Pick<Deps, "accounts" | "clock" | "devices">,
  bot: Bot,
): Promise<Device> {
  const device = await findDeviceOfBot(deps, bot);
  if (device === undefined) throw new ApiError("client-not-found");
  return device;
}
