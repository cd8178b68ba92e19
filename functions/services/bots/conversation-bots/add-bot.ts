import { randomBytes, randomUUID } from "node:crypto";
import type { Account } from "#shared/accounts/account.ts";
import { spendBytes } from "#shared/accounts/write-budget.ts";
import { announce } from "#shared/conversations/announce.ts";
import { isMls } from "#shared/conversations/conversation.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { conversationMemberJoin, joinData } from "#shared/conversations/events/members.ts";
import { type Device, noDevices, TooManyPrekeysError } from "#shared/devices/device.ts";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { canonicalDeviceId } from "#shared/platform/http/device-id.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Service, ServiceId } from "#shared/services/service.ts";
import type { Deps } from "../deps.ts";
import { checkAdmin, checkGroup, guardCaller, readSubject } from "./check-admin.ts";
import { createAtService } from "./create-at-service.ts";

interface AddCommand {
  readonly actor: Actor;
  readonly conversationId: string;
  readonly service: ServiceId;
  /** By default, the locale of the adding user. */
  readonly locale: string | undefined;
}

/** The data that allow a bot to be added. */
interface Permission extends PopulatedConversation {
  readonly account: Account;
  readonly service: Service;
}

/** A bot as its service has created it, before it is stored. */
interface NewBot extends Pick<Account, "name" | "accentId" | "assets"> {
  readonly botId: string;
  readonly clientId: string;
  readonly keys: Pick<Awaited<ReturnType<typeof createAtService>>, "prekeys" | "last_prekey">;
}

/** Charged for each attempt, so that nobody calls a service endlessly: about the size of a bot with 100 prekeys. */
const bytesOfBot = 16 * 1024;

/**
 * Let a service create a bot, and add it to a conversation. Nothing is stored before the service has answered; the
 * conditions of the addition must still hold then.
 *
 * It takes four round trips besides the call to the service: caller, conversation and service; what their teams say;
 * the budget; the transaction.
 *
 * @throws ApiError those of `readPermission` and `createAtService`
 * @throws RateLimitedError when the user has spent the daily budget for bytes
 * @see operation `add-bot`
 */
export async function addBot(deps: Deps, command: AddCommand) {
  const known = await readPermission(deps, command);
  const bot = await createBot(deps, known, command);
  describeAudited({ target: { bot: bot.botId } });
  return change(deps, async (attempt) => {
    const permission = attempt === 1 ? known : await readPermission(deps, command);
    const { event, writes, messages } = await join(deps, permission, { bot, actor: command.actor });
    return { writes, messages, result: { ...bot, event } };
  }).catch(answer(TooManyPrekeysError, "service-failed"));
}

/**
 * Read and check the conditions for adding a bot. The order is part of the interface.
 * @throws ApiError `second-factor-required`, `bot-adder-unknown`, `no-conversation`, `not-conversation-admin`,
 * `invalid-conversation`, `too-many-members`, `service-not-found`, `service-disabled`, `service-not-whitelisted`,
 * `too-many-bots`
 */
async function readPermission(
  deps: Deps,
  { actor: { userId }, conversationId, service: id }: AddCommand,
): Promise<Permission> {
  const { services, settings, whitelist } = deps;
  const [subject, service] = await Promise.all([
    readSubject(deps, { userId, conversationId }),
    services.get(id.providerId, id.serviceId),
  ]);
  const { account } = subject;
  const teamId = subject.found?.conversation.teamId;
  const [isAdmitted] = await Promise.all([
    teamId === undefined || whitelist.isAdmitted(teamId, id),
    guardCaller(deps, subject),
  ]);
  if (account === undefined) throw new ApiError("bot-adder-unknown");
  const { conversation, members } = checkAdmin(subject, { userId });
  checkGroup(conversation);
  if (isMls(conversation)) throw new ApiError("invalid-conversation");
  if (members.length >= settings.maxConvSize) throw new ApiError("too-many-members");
  if (!conversation.accessRoles.includes("service")) throw new ApiError("invalid-conversation");
  if (service === undefined) throw new ApiError("service-not-found");
  if (!service.isEnabled) throw new ApiError("service-disabled");
  if (!isAdmitted) throw new ApiError("service-not-whitelisted");
  const bots = members.filter((member) => member.service !== undefined);
  if (bots.length >= settings.services.maxBotsPerConversation) throw new ApiError("too-many-bots");
  return { account, conversation, members, service };
}

async function createBot(
  deps: Deps,
  { account, conversation, members, service }: Permission,
  { locale = account.locale }: AddCommand,
): Promise<NewBot> {
  const { conversationId } = conversation;
  const { providerId } = service;
  const botId = randomUUID();
  const clientId = canonicalDeviceId(randomBytes(8).toString("hex"));
  const [token] = await Promise.all([
    deps.tokens.botToken({ providerId, botId, conversationId }),
    spendBytes(deps, account, bytesOfBot),
  ]);
  const wanted = { botId, clientId, token, locale, origin: account, conversation, members };
  const { name, accent_id, assets, ...keys } = await createAtService(deps, service, wanted);
  return {
    botId,
    clientId,
    name: name ?? service.name,
    accentId: accent_id ?? 0,
    assets: assets ?? service.assets,
    keys,
  };
}

/** Create the writes that store a bot and make it a member, provided that its service is still enabled and admitted. */
async function join(
  deps: Deps,
  { account, conversation, members, service }: Permission,
  { bot, actor }: { readonly bot: NewBot; readonly actor: Actor },
) {
  const { accounts, bots, clock, conversations, devices, prekeys, services, settings, whitelist } = deps;
  const { conversationId, teamId } = conversation;
  const { providerId, serviceId } = service;
  const { botId, clientId, keys, name, accentId, assets } = bot;
  const member = {
    conversationId,
    userId: botId,
    role: "admin" as const,
    service: { id: serviceId, provider: providerId },
  };
  const { next, writes } = conversations.change(conversation, { joining: [member] });
  const { event, messages } = announce(deps, conversationMemberJoin, {
    conversation: next,
    actor,
    recipients: [...members, member],
    data: joinData([member], settings),
  });
  const now = clock();
  const device: Device = {
    clientId,
    type: "permanent",
    capabilities: ["legalhold-implicit-consent"],
    mlsPublicKeys: {},
    registeredAt: now,
  };
  return {
    event,
    messages,
    writes: [
      ...writes,
      ...accounts.save(undefined, {
        userId: botId,
        status: "active",
        name,
        accentId,
        assets,
        picture: [],
        locale: account.locale,
        supportedProtocols: ["proteus"],
        managedByScim: false,
        service: member.service,
        addedBy: account.userId,
        sessionEpoch: 0,
        createdAt: now,
      }),
      devices.put(noDevices(botId), { [clientId]: device }),
      ...(await prekeys.replaceAll(botId, clientId, keys.prekeys, keys.last_prekey)),
      bots.create({ botId, providerId, serviceId, conversationId, teamId }),
      services.requireEnabled(service),
      ...(teamId === undefined ? [] : [whitelist.requireAdmitted(teamId, service)]),
    ],
  };
}
