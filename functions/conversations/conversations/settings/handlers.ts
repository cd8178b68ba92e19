import type * as z from "zod";
import type { Conversation } from "#shared/conversations/conversation.ts";
import type { OwnSettings } from "#shared/conversations/conversation-member.ts";
import { accessRolesOf } from "#shared/conversations/legacy-access-role.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { eventReply } from "../change-conversation.ts";
import type { Deps } from "../deps.ts";
import { changeAccess } from "./change-access.ts";
import { changeAddPermission } from "./change-add-permission.ts";
import { changeCellsState } from "./change-cells-state.ts";
import { changeMessageTimer } from "./change-message-timer.ts";
import { changeOwnSettings } from "./change-own-settings.ts";
import { changeProtocol } from "./change-protocol.ts";
import { changeReceiptMode } from "./change-receipt-mode.ts";
import { rename } from "./rename.ts";
import type { routes } from "./routes.ts";
import type * as schemas from "./schemas.ts";
import { sendTyping } from "./send-typing.ts";

interface Of {
  readonly actor: Actor;
  readonly params: { readonly cid: string };
}

type With<Body extends z.ZodType> = Of & { readonly body: z.output<Body> };

const commandOf = ({ actor, params }: Of) => ({ actor, conversationId: params.cid });

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const name = async ({ body, ...of }: With<typeof schemas.nameUpdate>) =>
    eventReply(await rename(deps, { ...commandOf(of), name: body.name }));

  const messageTimer = async ({ body, ...of }: With<typeof schemas.messageTimerUpdate>) =>
    eventReply(
      await changeMessageTimer(deps, { ...commandOf(of), messageTimer: body.message_timer ?? undefined }),
    );

  const receiptMode = async ({ body, ...of }: With<typeof schemas.receiptModeUpdate>) =>
    eventReply(await changeReceiptMode(deps, { ...commandOf(of), receiptMode: body.receipt_mode }));

  const access = async (of: Of, next: Pick<Conversation, "access" | "accessRoles">) =>
    eventReply(await changeAccess(deps, { ...commandOf(of), next }));
  const accessV2 = ({ body, ...of }: With<typeof schemas.accessUpdateV2>) =>
    access(of, {
      access: body.access,
      accessRoles: body.access_role_v2 ?? [...accessRolesOf(body.access_role ?? "activated")],
    });

  const own = async ({ body, ...of }: With<typeof schemas.ownUpdate>) => {
    await changeOwnSettings(deps, { ...commandOf(of), ownSettings: toOwnSettings(body) });
    return {};
  };

  const typing = async ({ body, ...of }: With<typeof schemas.typing>) => {
    await sendTyping(deps, { ...commandOf(of), ...body });
    return {};
  };

  return {
    "update-conversation-name": name,
    "update-conversation-name-v0": name,
    "update-conversation-name-deprecated": name,
    "update-conversation-message-timer": messageTimer,
    "update-conversation-message-timer-v0": messageTimer,
    "update-conversation-receipt-mode": receiptMode,
    "update-conversation-receipt-mode-v0": receiptMode,
    "update-conversation-access": ({ body, ...of }) =>
      access(of, { access: body.access, accessRoles: body.access_role }),
    "update-conversation-access-v2": accessV2,
    "update-conversation-access-v0": accessV2,
    "update-channel-add-permission": async ({ body, ...of }) =>
      eventReply(await changeAddPermission(deps, { ...commandOf(of), addPermission: body.add_permission })),
    "update-conversation-protocol": async ({ body, ...of }) =>
      eventReply(await changeProtocol(deps, { ...commandOf(of), protocol: body.protocol })),
    "update-conversation-self": own,
    "update-conversation-self-v0": own,
    "member-typing-qualified": typing,
    "member-typing-v0": typing,
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
