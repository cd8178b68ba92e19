import * as z from "zod";
import type { Account } from "#shared/accounts/account.ts";
import { accentId, newAssets } from "#shared/accounts/profiles/profile-fields.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { toOtherMemberView } from "#shared/conversations/member-view.ts";
import { lastPrekey, prekey } from "#shared/devices/prekey.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { PinnedAnswer } from "#shared/platform/outbound/call-pinned.ts";
import { readJson } from "#shared/platform/outbound/pinned-session.ts";
import { openServiceSession } from "#shared/services/open-service-session.ts";
import type { Service } from "#shared/services/service.ts";
import type { Deps } from "../deps.ts";

/** The bot that a service is asked to create. */
interface WantedBot extends PopulatedConversation {
  readonly botId: string;
  readonly clientId: string;
  readonly token: string;
  readonly locale: string;
  /** The user who adds it. */
  readonly origin: Account;
}

/** For all attempts; a function has 15 seconds in all. */
const sessionMilliseconds = 9000;
/** Room for the initial prekeys of a device. */
const maxAnswerBytes = 512 * 1024;

/** Prekeys of a new device, with ids of their own. */
const maxPrekeys = 1000;

const createdBot = z
  .object({
    prekeys: z.array(prekey).max(maxPrekeys),
    last_prekey: lastPrekey,
    name: z.string().min(1).max(128).nullish(),
    accent_id: accentId.nullish(),
    assets: newAssets.nullish(),
  })
  .refine(
    ({ prekeys, last_prekey }) =>
      new Set([...prekeys, last_prekey].map(({ id }) => id)).size === prekeys.length + 1,
    "an id occurs twice",
  );

/**
 * Ask a service to create a bot. A failed call may have reached the service, which then has a bot that gets nothing.
 *
 * @returns the keys of the bot's device, and its profile
 * @throws ApiError `too-many-bots` when the service takes no more, `service-failed` for every other failure
 */
export async function createAtService(
  deps: Pick<Deps, "log" | "settings">,
  service: Service,
  wanted: WantedBot,
): Promise<z.output<typeof createdBot>> {
  const answer = await callService(deps, service, toJson(wanted, deps.settings));
  if (answer.status === 409) throw new ApiError("too-many-bots");
  const created = createdBot.safeParse(answer.status === 201 ? readJson(answer) : undefined);
  if (created.success) return created.data;
  const reason = answer.status === 201 ? "malformed answer" : `status ${answer.status}`;
  const { providerId, serviceId } = service;
  deps.log.warn("bot-not-created", { providerId, serviceId, reason });
  throw new ApiError("service-failed", { cause: created.error });
}

async function callService(
  deps: Pick<Deps, "log" | "settings">,
  service: Service,
  json: object,
): Promise<PinnedAnswer> {
  const { providerId, serviceId } = service;
  const session = openServiceSession(service, deps.settings, {
    timeoutMilliseconds: deps.settings.services.timeoutMilliseconds,
    sessionMilliseconds,
    maxAnswerBytes,
    onFailure: (_request, reason) => deps.log.warn("bot-not-created", { providerId, serviceId, reason }),
  });
  try {
    return await session.send({ path: "/bots", json });
  } catch (cause) {
    throw new ApiError("service-failed", { cause });
  }
}

const toJson = (
  { botId, clientId, token, locale, origin, conversation, members }: WantedBot,
  settings: Deps["settings"],
) => ({
  id: botId,
  client: clientId,
  token,
  locale,
  origin: {
    id: origin.userId,
    name: origin.name,
    accent_id: origin.accentId,
    handle: origin.handle ?? null,
    team: origin.teamId ?? null,
  },
  conversation: {
    id: conversation.conversationId,
    name: conversation.name,
    members: members.map((member) => toOtherMemberView(member, settings)),
  },
});
