import type * as z from "zod";
import type { CellsState } from "#shared/conversations/conversation.ts";
import type { OwnSettings } from "#shared/conversations/conversation-member.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import { eventReply } from "../change-conversation.ts";
import type { Deps } from "../deps.ts";
import { changeAccess } from "./change-access.ts";
import { changeOwnSettings } from "./change-own-settings.ts";
import { changeProtocol } from "./change-protocol.ts";
import { changeAddPermission, changeMessageTimer, changeReceiptMode, rename } from "./change-settings.ts";
import type { routes } from "./routes.ts";
import type * as schemas from "./schemas.ts";
import { sendTyping } from "./send-typing.ts";

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
