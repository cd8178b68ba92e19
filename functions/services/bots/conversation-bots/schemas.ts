import * as z from "zod";
import { userAsset } from "#shared/accounts/account.ts";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { accentId } from "#shared/accounts/profiles/profile-fields.ts";
import { eventView } from "#shared/conversations/events/conversation-event.ts";
import { conversationMemberJoin, conversationMemberLeave } from "#shared/conversations/events/members.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

export const conversationPath = z.object({
  conv: wire.uuid.meta({ description: "Id of the conversation" }),
});
export const botPath = conversationPath.extend({ bot: wire.uuid.meta({ description: "Id of the bot" }) });

export const addition = z
  .object({
    provider: wire.uuid.meta({ description: "Id of the provider of the service" }),
    service: wire.uuid.meta({ description: "Id of the service" }),
    locale: accountTypes.locale
      .optional()
      .meta({ description: "Language in which the bot is to speak; by default yours" }),
  })
  .meta({
    id: "AddBot",
    examples: [
      {
        provider: "6f0c2c0e-3a51-4f7e-9d55-5f6c1e3f0a01",
        service: "1d1b64f4-6f5e-4f0e-8d1c-2c3a7b9e5f60",
        locale: "en",
      },
    ],
  });

export const addedBot = z
  .object({
    id: z.uuid().meta({ description: "Id of the bot, which is that of a user" }),
    client: z.string().meta({ description: "Id of its only device" }),
    name: z.string(),
    accent_id: accentId,
    assets: z.array(userAsset),
    event: eventView(conversationMemberJoin),
  })
  .meta({ id: "AddBotResponse" });

export const removedBot = z
  .object({ event: eventView(conversationMemberLeave) })
  .meta({ id: "RemoveBotResponse" });
