import type * as z from "zod";
import { spendBytes } from "#shared/accounts/write-budget.ts";
import { type CellsState, timeAfter } from "#shared/conversations/conversation.ts";
import type { OwnSettings } from "#shared/conversations/conversation-member.ts";
import { NotConversationMemberError } from "#shared/conversations/conversation-store.ts";
import { envelopeOf } from "#shared/conversations/events/conversation-event.ts";
import { conversationOwnUpdate, toOwnUpdateData } from "#shared/conversations/events/members.ts";
import { conversationTyping, type typingStatus } from "#shared/conversations/events/messages.ts";
import { conversationGroup } from "#shared/events/publisher.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { mayCommit } from "#shared/platform/messaging/commit-guard.ts";
import { RateLimitedError } from "#shared/platform/rate-limit/token-bucket.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import { type ChangeCommand, eventReply } from "../change-conversation.ts";
import type { Deps } from "../deps.ts";
import { readMembership } from "../read-as-member.ts";
import { changeAccess } from "./change-access.ts";
import { changeProtocol } from "./change-protocol.ts";
import { changeAddPermission, changeMessageTimer, changeReceiptMode, rename } from "./change-settings.ts";
import type { routes } from "./routes.ts";
import type * as schemas from "./schemas.ts";

interface Of {
  readonly actor: Actor;
  readonly params: { readonly cid: string };
}

const commandOf = ({ actor, params }: Of) => ({ actor, conversationId: params.cid });

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "update-conversation-name": async ({ body, ...of }) =>
      eventReply(await rename(deps, { ...commandOf(of), name: body.name })),
    "update-conversation-message-timer": async ({ body, ...of }) =>
      eventReply(
        await changeMessageTimer(deps, { ...commandOf(of), messageTimer: body.message_timer ?? undefined }),
      ),
    "update-conversation-receipt-mode": async ({ body, ...of }) =>
      eventReply(await changeReceiptMode(deps, { ...commandOf(of), receiptMode: body.receipt_mode })),
    "update-conversation-access": async ({ body, ...of }) => {
      const next = { access: body.access, accessRoles: body.access_role };
      return eventReply(await changeAccess(deps, { ...commandOf(of), next }));
    },
    "update-channel-add-permission": async ({ body, ...of }) =>
      eventReply(await changeAddPermission(deps, { ...commandOf(of), addPermission: body.add_permission })),
    "update-conversation-protocol": async ({ body, ...of }) =>
      eventReply(await changeProtocol(deps, { ...commandOf(of), protocol: body.protocol })),
    "update-conversation-self": async ({ body, ...of }) => {
      await changeOwnSettings(deps, { ...commandOf(of), ownSettings: toOwnSettings(body) });
      return {};
    },
    "member-typing-qualified": async ({ body, ...of }) => {
      await sendTyping(deps, { ...commandOf(of), ...body });
      return {};
    },
    "put-conversation-cells-state": async ({ params, body }) => {
      await changeCellsState(deps, { conversationId: params.cid, cellsState: body });
      return {};
    },
  };
}

/** Null counts as absent. */
function toOwnSettings(body: z.output<typeof schemas.ownUpdate>): OwnSettings {
  const settings = {
    mutedStatus: body.otr_muted_status,
    mutedReference: body.otr_muted_ref,
    isArchived: body.otr_archived,
    archivedReference: body.otr_archived_ref,
    isHidden: body.hidden,
    hiddenReference: body.hidden_ref,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value != null));
}

/**
 * Set whether the Cells integration gets the events of a conversation. The conversation must belong to a team with the
 * feature. Sends no event to members.
 *
 * @throws ApiError `no-conversation`, `invalid-op`
 * @see operation `put-conversation-cells-state`
 */
async function changeCellsState(
  deps: Deps,
  { conversationId, cellsState }: { conversationId: string; cellsState: CellsState },
): Promise<void> {
  const { conversations } = deps;
  await change(deps, async () => {
    const conversation = await conversations.get(conversationId);
    if (conversation === undefined) throw new ApiError("no-conversation");
    const conditions = cellsState === "disabled" ? [] : await requireCells(deps, conversation.teamId);
    if (conversation.cellsState === cellsState) return undefined;
    const { writes } = conversations.change(conversation, { fields: { cellsState } });
    return { writes: [...writes, ...conditions] };
  });
}

/** @throws ApiError `invalid-op` unless the team has the feature */
async function requireCells(
  { features, settings }: Pick<Deps, "features" | "settings">,
  teamId: string | undefined,
): Promise<Write[]> {
  const ofTeam = teamId === undefined ? undefined : await features.get(teamId);
  if (ofTeam === undefined || !hasFeature("cells", ofTeam, settings)) throw new ApiError("invalid-op");
  return [features.requireUnchanged(ofTeam)];
}

/**
 * Change a member's own settings; only the user's own devices are told.
 *
 * @throws ApiError `no-conversation` also for users who are not members
 * @throws RateLimitedError when the user has spent the daily budget for bytes
 * @see operations `update-conversation-self` and its older form
 */
async function changeOwnSettings(
  deps: Deps,
  { actor, conversationId, ownSettings }: ChangeCommand & { ownSettings: OwnSettings },
): Promise<void> {
  const { clock, conversations, events, settings } = deps;
  const { userId } = actor;
  const membership = { conversationId, userId };
  const charged = spendBytes(deps, actor, Buffer.byteLength(JSON.stringify(ownSettings)));
  await change(deps, async () => {
    const [found] = await Promise.all([readMembership(deps, membership), charged]);
    if (found?.self === undefined) throw new ApiError("no-conversation");
    const { conversation } = found;
    const time = timeAfter(conversation, clock());
    const cause = { from: userId, time, isChange: false };
    return {
      writes: [conversations.changeOwnSettings(membership, ownSettings)],
      messages: events.to(
        { group: conversationGroup(conversationId), time, recipients: [{ userId }], origin: actor },
        conversationOwnUpdate,
        {
          ...envelopeOf(conversation, cause, settings),
          data: toOwnUpdateData(userId, ownSettings, settings),
        },
      ),
    };
  }).catch(answer(NotConversationMemberError, "no-conversation"));
}

/**
 * Tell the other members, except bots, that a member starts or stops typing. The event is not stored. Beyond the limit
 * of a user it is dropped, because clients do not expect a refusal.
 *
 * @throws ApiError `no-conversation` also for users who are not members
 * @see operations `member-typing-qualified` and its older form
 */
async function sendTyping(
  deps: Deps,
  { actor, conversationId, status }: ChangeCommand & { status: z.infer<typeof typingStatus> },
): Promise<void> {
  const { clock, conversations, events, settings } = deps;
  const [found, isWithinLimit] = await Promise.all([
    conversations.getPopulated(conversationId),
    takeToken(deps, actor.userId),
    mayCommit(),
  ]);
  if (!found?.members.some(({ userId }) => userId === actor.userId)) throw new ApiError("no-conversation");
  if (!isWithinLimit) return;
  const { conversation } = found;
  const time = timeAfter(conversation, clock());
  const cause = { from: actor.userId, time, isChange: false };
  await change(deps, async () => ({
    messages: events.to(
      {
        group: conversationGroup(conversationId),
        time,
        recipients: found.members
          .filter(({ userId, service }) => userId !== actor.userId && service === undefined)
          .map(({ userId }) => ({ userId })),
      },
      conversationTyping,
      { ...envelopeOf(conversation, cause, settings), data: { status } },
    ),
  }));
}

/** @returns whether a message was sent */
async function takeToken({ rateLimiter, settings }: Deps, userId: string): Promise<boolean> {
  try {
    await rateLimiter.take(`typing#${userId}`, settings.setTypingRateLimit);
    return true;
  } catch (error) {
    if (error instanceof RateLimitedError) return false;
    throw error;
  }
}
