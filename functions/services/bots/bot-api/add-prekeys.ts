import * as z from "zod";
import { AccountNotFoundError } from "#shared/accounts/account-errors.ts";
import { DeviceNotFoundError, TooManyPrekeysError } from "#shared/devices/device-errors.ts";
import { prekey } from "#shared/devices/prekey.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { toBadRequest } from "#shared/platform/http/render.ts";
import type { BotActor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { isActiveBot } from "#shared/services/active-bot.ts";
import type { Deps } from "../deps.ts";
import { findDeviceOfBot } from "./read-bot.ts";

const uploadedPrekeys = z.array(prekey);

/**
 * Add prekeys to those of a bot's device.
 * @throws ApiError `client-not-found`, `bot-access-denied`, `bad-request`
 * @see operation `bot-update-prekeys`
 */
export async function addPrekeys(
  deps: Deps,
  { botId }: Pick<BotActor, "botId">,
  uploaded: z.input<typeof uploadedPrekeys>,
): Promise<void> {
  const { accounts, devices, prekeys } = deps;
  const [device, isActive] = await Promise.all([findDeviceOfBot(deps, { botId }), isActiveBot(deps, botId)]);
  if (device === undefined) throw new ApiError("client-not-found");
  if (!isActive) throw new ApiError("bot-access-denied");
  const { clientId } = device;
  const checked = uploadedPrekeys.safeParse(uploaded);
  if (!checked.success) throw toBadRequest("body", checked.error);
  if (checked.data.length === 0) return;
  await change(deps, async () => ({
    writes: [
      ...(await prekeys.add(botId, clientId, checked.data)),
      devices.require(botId, clientId),
      accounts.requireNotDeleted(botId),
    ],
  }))
    .catch(answer(AccountNotFoundError, "client-not-found"))
    .catch(answer(DeviceNotFoundError, "client-not-found"))
    .catch(answer(TooManyPrekeysError, "bad-request", ({ message }) => ({ message })));
}
