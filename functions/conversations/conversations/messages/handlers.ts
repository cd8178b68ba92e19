import type * as z from "zod";
import { guardMessages } from "#shared/conversations/legal-hold/guard.ts";
import type {
  DevicesByDomain,
  DevicesByUser,
  Message,
  Strategy,
} from "#shared/conversations/messages/message.ts";
import {
  commonOf,
  fromOtrMessage,
  type Texts,
  toCiphertexts,
  toMismatchReply,
} from "#shared/conversations/messages/otr-message.ts";
import type { Sending } from "#shared/conversations/messages/send.ts";
import { sendMessage } from "#shared/conversations/messages/send-message.ts";
import { isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deps } from "../deps.ts";
import { userMemberIds } from "../legal-hold.ts";
import { broadcastMessage } from "./broadcast-message.ts";
import type * as schemas from "./routes.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { settings } = deps;

  const send = (actor: Actor, conversationId: string, message: Message) =>
    sendMessage(deps, {
      actor,
      conversationId,
      message,
      guard: ({ members, underHold }) => guardMessages(deps, { userIds: userMemberIds(members), underHold }),
    });

  return {
    "post-otr-message-unqualified": async ({ actor, params, query, body }) => {
      const message = fromOtrMessage(body, query);
      return toMismatchReply(await send(actor, params.cid, message));
    },
    "post-proteus-message": async ({ actor, params, body }) => {
      const message = fromQualified(body, settings);
      const sending = await send(actor, params.cid, message);
      return toQualifiedReply(sending, message, settings);
    },
    "post-otr-broadcast-unqualified": async ({ actor, query, body }) => {
      return toMismatchReply(await broadcastMessage(deps, { actor, message: fromOtrMessage(body, query) }));
    },
    "post-proteus-broadcast": async ({ actor, body }) => {
      const message = fromQualified(body, settings);
      return toQualifiedReply(await broadcastMessage(deps, { actor, message }), message, settings);
    },
  };
}

type Qualified = z.output<typeof schemas.qualifiedNewOtrMessage>;

function fromQualified(body: Qualified, settings: Settings): Message {
  const isLocal = ({ domain }: { domain: string }) => isLocalDomain(domain, settings);
  const local = body.recipients.filter(isLocal).map(({ users }) => users);
  const remote = body.recipients.filter((entry) => !isLocal(entry));
  const usersOf = ({ user_ids }: { user_ids: readonly { id: string; domain: string }[] }) =>
    new Set(user_ids.filter(isLocal).map(({ id }) => id));
  return {
    ...commonOf(body),
    recipients: toCiphertexts(Object.assign({}, ...local)),
    remoteRecipients: Object.fromEntries(remote.map(({ domain, users }) => [domain, devicesIn(users)])),
    strategy: toStrategy(body, usersOf),
  };
}

function toStrategy(
  { report_only, ignore_only, ignore_all }: Qualified,
  usersOf: (list: NonNullable<Qualified["report_only"]>) => ReadonlySet<string>,
): Strategy {
  if (report_only) return { kind: "report-only", users: usersOf(report_only) };
  if (ignore_only) return { kind: "ignore-only", users: usersOf(ignore_only) };
  return { kind: ignore_all ? "ignore-all" : "report-all" };
}

const devicesIn = (texts: Texts): DevicesByUser =>
  Object.fromEntries(
    Object.entries(texts)
      .map(([userId, byClient]) => [userId, Object.keys(byClient)] as const)
      .filter(([, clientIds]) => clientIds.length > 0),
  );

function toQualifiedReply(
  { isSent, time, missing, redundant, deleted }: Sending,
  { remoteRecipients }: Message,
  { domain }: Settings,
) {
  const inDomain = (users: DevicesByUser): DevicesByDomain =>
    Object.keys(users).length === 0 ? {} : { [domain]: users };
  const body = {
    time: new Date(time).toISOString(),
    missing: inDomain(missing),
    redundant: { ...remoteRecipients, ...inDomain(redundant) },
    deleted: inDomain(deleted),
    failed_to_send: {},
    failed_to_confirm_clients: {},
  };
  return isSent ? { status: 201 as const, body } : { status: 412 as const, body };
}
