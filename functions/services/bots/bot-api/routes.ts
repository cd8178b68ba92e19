import * as z from "zod";
import { accentId } from "#shared/accounts/profiles/profile-fields.ts";
import { userProfile } from "#shared/accounts/profiles/user-profile.ts";
import { otherMemberView } from "#shared/conversations/member-view.ts";
import * as otr from "#shared/conversations/messages/otr-message.ts";
import * as deviceViews from "#shared/devices/device-view.ts";
import { examplePrekey, prekeyItem } from "#shared/devices/prekey.ts";
import * as publicView from "#shared/devices/public-device-view.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { noSecondFactorByDefault } from "#shared/services/second-factor-guard.ts";

const userPath = z.object({ user: wire.userId });

/** As many as fit into an address with its commas encoded: proxies allow about 8 KB. */
const maxUsers = 200;
const usersQuery = z.object({
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
const botUsers = z.array(botUser);

/** Prekeys that a bot uploads. Their content is checked by the use case, which checks the bot first. */
const newPrekeys = z
  .object({ prekeys: z.array(prekeyItem) })
  .meta({ id: "UpdateBotPrekeys", examples: [{ prekeys: [examplePrekey] }] });

const prekeyIds = z.array(prekeyItem.shape.id);

const botConversation = z
  .object({
    id: z.uuid(),
    name: z.string().optional(),
    members: z.array(otherMemberView).meta({ description: "All other members" }),
  })
  .meta({ id: "BotConvView", description: "A conversation as its bot sees it" });

const guarded = { auth: "bot", requires: [noSecondFactorByDefault] } as const;

/** Bytes of the device ids of all members of a conversation, as for users. */
const claimBodyLimit = 256 * 1024;

export const routes = defineRoutes({
  "bot-get-self": {
    method: "GET",
    path: "/bot/self",
    auth: "bot",
    summary: "Get the bot's profile",
    responses: { 200: userProfile },
    errors: ["bot-not-found"],
  },
  "bot-delete-self": {
    ...guarded,
    method: "DELETE",
    audit: "bot.removed",
    path: "/bot/self",
    summary: "Leave the conversation, which deletes the bot",
    responses: { 200: null },
    errors: ["invalid-bot"],
  },
  "bot-get-client": {
    ...guarded,
    method: "GET",
    path: "/bot/client",
    since: 7,
    summary: "Get the bot's device",
    responses: { 200: deviceViews.deviceView },
    errors: ["client-not-found"],
    olderForms: {
      "bot-get-client-v6": {
        until: 6,
        responses: { 200: deviceViews.nestedDeviceView },
        answer: { 200: deviceViews.withNestedCapabilities },
      },
    },
  },
  "bot-list-prekeys": {
    ...guarded,
    method: "GET",
    path: "/bot/client/prekeys",
    summary: "List the ids of the remaining prekeys",
    description:
      "65535, the last-resort prekey, is always among them. Upload more before it is the only one left.",
    responses: { 200: prekeyIds },
    errors: [],
  },
  "bot-update-prekeys": {
    ...guarded,
    method: "POST",
    audit: unaudited.keys,
    path: "/bot/client/prekeys",
    summary: "Add prekeys to the bot's device",
    body: newPrekeys,
    responses: { 200: null },
    errors: ["client-not-found", "bot-access-denied"],
  },
  "bot-list-users": {
    ...guarded,
    method: "GET",
    path: "/bot/users",
    summary: "Get the profiles of several users",
    description: "Unknown users are left out.",
    query: usersQuery,
    responses: { 200: botUsers },
    errors: ["bot-access-denied"],
  },
  "bot-claim-users-prekeys": {
    costs: uncharged.nothing,
    ...guarded,
    method: "POST",
    audit: unaudited.reading,
    path: "/bot/users/prekeys",
    summary: "Claim a prekey of each of several devices",
    description:
      "Removes the prekeys, so that each is given out once. If a device has none left, you get its last-resort prekey.",
    body: publicView.userClients,
    bodyLimit: claimBodyLimit,
    responses: { 200: publicView.userClientPrekeys },
    errors: ["too-many-clients", "bot-access-denied"],
  },
  "bot-get-user-clients": {
    method: "GET",
    path: "/bot/users/{user}/clients",
    auth: "bot",
    summary: "List the devices of a user",
    params: userPath,
    responses: { 200: publicView.pubClientList },
    errors: ["second-factor-required", "bot-access-denied"],
  },
  "get-bot-conversation": {
    method: "GET",
    path: "/bot/conversation",
    auth: "bot",
    summary: "Get the bot's conversation",
    responses: { 200: botConversation },
    errors: ["second-factor-required", "no-conversation"],
  },
  "post-bot-message-unqualified": {
    costs: uncharged.content,
    ...guarded,
    method: "POST",
    audit: unaudited.content,
    path: "/bot/messages",
    pausedBy: "messages",
    summary: "Send an encrypted message to the conversation",
    description:
      "The answer says how the addressed devices differ from those of the members. 412 if a required device is missing: then " +
      "nobody gets the message.",
    query: otr.missingQuery,
    body: otr.newOtrMessage,
    bodyLimit: otr.messageBodyLimit,
    responses: { 201: otr.clientMismatch, 412: otr.clientMismatch },
    errors: ["no-conversation", "bot-access-denied", "foreign-sending-device", "too-many-requests"],
  },
});
