import * as z from "zod";
import { accentId } from "#shared/accounts/profiles/profile-fields.ts";
import { otherMemberView } from "#shared/conversations/member-view.ts";
import { examplePrekey, prekeyItem } from "#shared/devices/prekey.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

export const userPath = z.object({ user: wire.userId });

/** As many as fit into an address with its commas encoded: proxies allow about 8 KB. */
const maxUsers = 200;
export const usersQuery = z.object({
  ids: wire
    .commaSeparated(wire.userId, maxUsers)
    .meta({ description: `Ids of users, separated by commas; up to ${maxUsers}` }),
});

export const botUser = z
  .object({
    id: z.uuid(),
    name: z.string(),
    accent_id: accentId,
    handle: z.string().nullable(),
    team: z.uuid().nullable(),
  })
  .meta({ id: "BotUserView", description: "What bots learn of a user" });
export const botUsers = z.array(botUser);

/** Prekeys that a bot uploads. Their content is checked by the use case, which checks the bot first. */
export const newPrekeys = z
  .object({ prekeys: z.array(prekeyItem) })
  .meta({ id: "UpdateBotPrekeys", examples: [{ prekeys: [examplePrekey] }] });

export const prekeyIds = z.array(prekeyItem.shape.id);

export const botConversation = z
  .object({
    id: z.uuid(),
    name: z.string().optional(),
    members: z.array(otherMemberView).meta({ description: "All other members" }),
  })
  .meta({ id: "BotConvView", description: "A conversation as its bot sees it" });
