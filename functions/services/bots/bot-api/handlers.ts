import type * as z from "zod";
import type { Account } from "#shared/accounts/account.ts";
import { toUserProfile } from "#shared/accounts/profiles/user-profile.ts";
import { removeBot } from "#shared/conversations/bots/remove-bot.ts";
import { toOtherMemberView } from "#shared/conversations/member-view.ts";
import { fromOtrMessage, toMismatchReply } from "#shared/conversations/messages/otr-message.ts";
import { sendMessage } from "#shared/conversations/messages/send-message.ts";
import { toDeviceView } from "#shared/devices/device-view.ts";
import { toPublicDevice } from "#shared/devices/public-device-view.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { isSwitchedOn } from "#shared/services/active-bot.ts";
import type { Deps } from "../deps.ts";
import { addPrekeys } from "./add-prekeys.ts";
import { claimPrekeys } from "./claim-prekeys.ts";
import { listDevices } from "./list-devices.ts";
import { listUsers } from "./list-users.ts";
import { deviceOfBot, findDeviceOfBot, readBot } from "./read-bot.ts";
import { readConversation } from "./read-conversation.ts";
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
