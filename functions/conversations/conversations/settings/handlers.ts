import type * as z from "zod";
import type { OwnSettings } from "#shared/conversations/conversation-member.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { eventReply } from "../change-conversation.ts";
import type { Deps } from "../deps.ts";
import { changeAccess } from "./change-access.ts";
import { changeCellsState } from "./change-cells-state.ts";
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
