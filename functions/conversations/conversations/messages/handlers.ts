import type * as z from "zod";
import { isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deps } from "../deps.ts";
import { broadcastMessage } from "./broadcast-message.ts";
import {
  type Ciphertexts,
  type DevicesByDomain,
  type DevicesByUser,
  type Message,
  type Strategy,
  strategyOf,
} from "./message.ts";
import type { routes } from "./routes.ts";
import type * as schemas from "./schemas.ts";
import type { Sending } from "./send.ts";
import { sendMessage } from "./send-message.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { settings } = deps;
  return {
    "post-otr-message-unqualified": async ({ actor, params, query, body }) => {
      const message = fromUnqualified(body, query);
      return toReply(await sendMessage(deps, { actor, conversationId: params.cid, message }));
    },
    "post-proteus-message": async ({ actor, params, body }) => {
      const message = fromQualified(body, settings);
      const sending = await sendMessage(deps, { actor, conversationId: params.cid, message });
      return toQualifiedReply(sending, message, settings);
    },
    "post-otr-broadcast-unqualified": async ({ actor, query, body }) => {
      return toReply(await broadcastMessage(deps, { actor, message: fromUnqualified(body, query) }));
    },
    "post-proteus-broadcast": async ({ actor, body }) => {
      const message = fromQualified(body, settings);
      return toQualifiedReply(await broadcastMessage(deps, { actor, message }), message, settings);
    },
  };
}

type Unqualified = z.output<typeof schemas.newOtrMessage>;
type Qualified = z.output<typeof schemas.qualifiedNewOtrMessage>;

const fromUnqualified = (body: Unqualified, query: z.output<typeof schemas.missingQuery>): Message => ({
  ...commonOf(body),
  recipients: toCiphertexts(body.recipients),
  remoteRecipients: {},
  strategy: strategyOf({
    reportMissing: body.report_missing,
    query: { ignoreMissing: query.ignore_missing, reportMissing: query.report_missing },
  }),
});

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

const commonOf = ({
  sender,
  data = "",
  transient = false,
  native_push = true,
  native_priority = "high",
}: Unqualified | Qualified): Pick<Message, "sender" | "blob" | "isTransient" | "push"> => ({
  sender,
  blob: data,
  isTransient: transient,
  push: native_push ? native_priority : "none",
});

type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

const toCiphertexts = (texts: Texts): Ciphertexts =>
  new Map(Object.entries(texts).map(([userId, byClient]) => [userId, new Map(Object.entries(byClient))]));

const devicesIn = (texts: Texts): DevicesByUser =>
  Object.fromEntries(
    Object.entries(texts)
      .map(([userId, byClient]) => [userId, Object.keys(byClient)] as const)
      .filter(([, clientIds]) => clientIds.length > 0),
  );

function toReply({ isSent, time, missing, redundant, deleted }: Sending) {
  const body = { time: new Date(time).toISOString(), missing, redundant, deleted };
  return isSent ? { status: 201 as const, body } : { status: 412 as const, body };
}

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
