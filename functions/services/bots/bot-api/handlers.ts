import * as z from "zod";
import { type Account, currentStatus } from "#shared/accounts/account.ts";
import { AccountNotFoundError } from "#shared/accounts/account-errors.ts";
import { toUserProfile } from "#shared/accounts/profiles/user-profile.ts";
import { payerOf } from "#shared/accounts/write-budget.ts";
import { removeBot } from "#shared/conversations/bots/remove-bot.ts";
import { readClaimAllowancesOfBot } from "#shared/conversations/connections/claim-allowances.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { toOtherMemberView } from "#shared/conversations/member-view.ts";
import { fromOtrMessage, toMismatchReply } from "#shared/conversations/messages/otr-message.ts";
import { sendMessage } from "#shared/conversations/messages/send-message.ts";
import { checkClaimSize, claimForUsers } from "#shared/devices/claim-prekeys.ts";
import { type Device, DeviceNotFoundError, TooManyPrekeysError } from "#shared/devices/device.ts";
import { toDeviceView } from "#shared/devices/device-view.ts";
import { prekey } from "#shared/devices/prekey.ts";
import {
  toPublicDevice,
  type userClientPrekeys,
  type userClients,
} from "#shared/devices/public-device-view.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { toBadRequest } from "#shared/platform/http/render.ts";
import type { BotActor, Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { isActiveBot, isSwitchedOn } from "#shared/services/active-bot.ts";
import { refuseSecondFactorOf } from "#shared/services/second-factor-guard.ts";
import type { Deps } from "../deps.ts";
import type { botUser, routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { clock, prekeys, settings } = deps;
  return {
    "bot-get-self": async ({ actor }) => {
      const account = await readBot(deps, actor);
      if (account === undefined) throw new ApiError("bot-not-found");
      return { body: toUserProfile(account, {}, { legalHoldStatus: undefined, settings, now: clock() }) };
    },

    "bot-delete-self": async ({ actor }) => {
      if ((await removeBot(deps, actor)) === undefined) throw new ApiError("invalid-bot");
      return { body: undefined };
    },

    "bot-get-client": async ({ actor, version }) => ({
      body: toDeviceView(await deviceOfBot(deps, actor), version),
    }),

    "bot-list-prekeys": async ({ actor }) => {
      const device = await findDeviceOfBot(deps, actor);
      return { body: device === undefined ? [] : await prekeys.ids(actor.botId, device.clientId) };
    },

    "bot-update-prekeys": async ({ actor, body }) => {
      await addPrekeys(deps, actor, body.prekeys);
      return { body: undefined };
    },

    "bot-list-users": async ({ actor, query }) => ({
      body: (await listUsers(deps, actor, query.ids)).map(toBotUser),
    }),

    "bot-claim-users-prekeys": async ({ actor, body }) => ({ body: await claimPrekeys(deps, actor, body) }),

    "bot-get-user-clients": async ({ actor, params }) => ({
      body: (await listDevices(deps, actor, params.user)).map(toPublicDevice),
    }),

    "get-bot-conversation": async ({ actor }) => {
      const { conversation, members } = await readConversation(deps, actor);
      const { conversationId: id, name } = conversation;
      return { body: { id, name, members: members.map((member) => toOtherMemberView(member, settings)) } };
    },

    "post-bot-message-unqualified": async ({ actor, query, body }) => {
      const { botId: userId, conversationId } = actor;
      const message = fromOtrMessage(body, query);
      return toMismatchReply(
        await sendMessage(deps, {
          actor: { userId },
          conversationId,
          message,
          checkSender: async ({ service }) => {
            if (service === undefined || !(await isSwitchedOn(deps, service)))
              throw new ApiError("bot-access-denied");
          },
        }),
      );
    },
  };
}

const toBotUser = ({ userId, name, accentId, handle, teamId }: Account): z.input<typeof botUser> => ({
  id: userId,
  name,
  accent_id: accentId,
  handle: handle ?? null,
  team: teamId ?? null,
});

const uploadedPrekeys = z.array(prekey);

/**
 * Add prekeys to those of a bot's device.
 * @throws ApiError `client-not-found`, `bot-access-denied`, `bad-request`
 * @see operation `bot-update-prekeys`
 */
async function addPrekeys(
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

/**
 * Claim a prekey of each of several devices for a bot, which legal hold never keeps from anybody.
 * @throws ApiError `too-many-clients`, `bot-access-denied`, `concurrent-change`
 * @see operation `bot-claim-users-prekeys`
 */
async function claimPrekeys(
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

/**
 * Devices of a user; an unknown user has none.
 * @throws ApiError `second-factor-required` where the user's team, or the server, demands one, `bot-access-denied`
 * @see operation `bot-get-user-clients`
 */
async function listDevices(deps: Deps, bot: BotActor, userId: string): Promise<Device[]> {
  const [account, { devices }, isActive] = await Promise.all([
    deps.accounts.get(userId),
    deps.devices.get(userId),
    isActiveBot(deps, bot.botId),
  ]);
  await refuseSecondFactorOf(deps, account);
  if (!isActive) throw new ApiError("bot-access-denied");
  return Object.values(devices);
}

/**
 * Users by their ids, whether or not they are in the bot's conversation; unknown ones are left out.
 * @throws ApiError `bot-access-denied`
 * @see operation `bot-list-users`
 */
async function listUsers(
  deps: Pick<Deps, "accounts" | "clock" | "services">,
  bot: BotActor,
  userIds: readonly string[],
): Promise<Account[]> {
  const [accounts] = await Promise.all([deps.accounts.getMany(userIds), checkBot(deps, bot)]);
  const now = deps.clock();
  return accounts.filter((account) =>
    ["active", "ephemeral", "suspended"].includes(currentStatus(account, now)),
  );
}

type Bot = Pick<BotActor, "botId">;

/** Read the account of a bot, whose token outlives it. @returns undefined when it has been removed */
async function readBot(
  { accounts, clock }: Pick<Deps, "accounts" | "clock">,
  { botId }: Bot,
): Promise<Account | undefined> {
  const account = await accounts.get(botId);
  return account !== undefined && currentStatus(account, clock()) !== "deleted" ? account : undefined;
}

/** Check that a bot may act. @throws ApiError `bot-access-denied` */
async function checkBot(deps: Pick<Deps, "accounts" | "clock" | "services">, { botId }: Bot): Promise<void> {
  if (!(await isActiveBot(deps, botId))) throw new ApiError("bot-access-denied");
}

/** Read the only device of a bot, which is erased some time after the bot is removed. */
async function findDeviceOfBot(
  deps: Pick<Deps, "accounts" | "clock" | "devices">,
  bot: Bot,
): Promise<Device | undefined> {
  const [account, { devices }] = await Promise.all([readBot(deps, bot), deps.devices.get(bot.botId)]);
  return account && Object.values(devices)[0];
}

/** @throws ApiError `client-not-found` */
async function deviceOfBot(deps: Pick<Deps, "accounts" | "clock" | "devices">, bot: Bot): Promise<Device> {
  const device = await findDeviceOfBot(deps, bot);
  if (device === undefined) throw new ApiError("client-not-found");
  return device;
}

/**
 * Read the conversation of a bot, without the bot itself.
 * @throws ApiError `second-factor-required` where the conversation's team, or the server, demands one, `no-conversation`
 *   when it is gone, or the bot is no longer in it
 * @see operation `get-bot-conversation`
 */
async function readConversation(
  deps: Pick<Deps, "conversations" | "features" | "settings">,
  { botId, conversationId }: BotActor,
): Promise<PopulatedConversation> {
  const found = await deps.conversations.getPopulated(conversationId);
  await refuseSecondFactorOf(deps, found?.conversation);
  if (found === undefined || !found.members.some(({ userId }) => userId === botId))
    throw new ApiError("no-conversation");
  return { ...found, members: found.members.filter(({ userId }) => userId !== botId) };
}
