import { userActivate } from "../shared/accounts/events/user-activate.ts";
import { userDelete } from "../shared/accounts/events/user-delete.ts";
import { userIdentityRemove } from "../shared/accounts/events/user-identity-remove.ts";
import { userUpdate, userUpdatePrivately } from "../shared/accounts/events/user-update.ts";
import {
  userPropertiesClear,
  userPropertiesDelete,
  userPropertiesSet,
} from "../shared/accounts/properties/user-properties.ts";
import { userConnection } from "../shared/conversations/connections/user-connection.ts";
import { conversationAccessUpdate } from "../shared/conversations/events/conversation-access-update.ts";
import { conversationAddPermissionUpdate } from "../shared/conversations/events/conversation-add-permission-update.ts";
import { conversationCodeDelete } from "../shared/conversations/events/conversation-code-delete.ts";
import { conversationCodeUpdate } from "../shared/conversations/events/conversation-code-update.ts";
import { conversationConnectRequest } from "../shared/conversations/events/conversation-connect-request.ts";
import { conversationCreate } from "../shared/conversations/events/conversation-create.ts";
import { conversationDelete } from "../shared/conversations/events/conversation-delete.ts";
import { conversationMemberJoin } from "../shared/conversations/events/conversation-member-join.ts";
import { conversationMemberLeave } from "../shared/conversations/events/conversation-member-leave.ts";
import { conversationMemberUpdate } from "../shared/conversations/events/conversation-member-update.ts";
import { conversationMessageTimerUpdate } from "../shared/conversations/events/conversation-message-timer-update.ts";
import { conversationMlsMessageAdd } from "../shared/conversations/events/conversation-mls-message-add.ts";
import { conversationMlsReset } from "../shared/conversations/events/conversation-mls-reset.ts";
import { conversationMlsWelcome } from "../shared/conversations/events/conversation-mls-welcome.ts";
import { conversationOtrMessageAdd } from "../shared/conversations/events/conversation-otr-message-add.ts";
import { conversationOwnUpdate } from "../shared/conversations/events/conversation-own-update.ts";
import { conversationProtocolUpdate } from "../shared/conversations/events/conversation-protocol-update.ts";
import { conversationReceiptModeUpdate } from "../shared/conversations/events/conversation-receipt-mode-update.ts";
import { conversationRename } from "../shared/conversations/events/conversation-rename.ts";
import { conversationTyping } from "../shared/conversations/events/conversation-typing.ts";
import { userLegalholdDisable } from "../shared/conversations/legal-hold/events/user-legalhold-disable.ts";
import { userLegalholdEnable } from "../shared/conversations/legal-hold/events/user-legalhold-enable.ts";
import { userLegalholdRequest } from "../shared/conversations/legal-hold/events/user-legalhold-request.ts";
import { userClientAdd } from "../shared/devices/events/user-client-add.ts";
import { userClientRemove } from "../shared/devices/events/user-client-remove.ts";
import type { EventSpec } from "../shared/events/event.ts";
import { userPushRemove } from "../shared/events/push/events/user-push-remove.ts";
import { featureConfigUpdate } from "../shared/teams/events/feature-config-update.ts";
import { teamCreate } from "../shared/teams/events/team-create.ts";
import { teamDelete } from "../shared/teams/events/team-delete.ts";
import { teamMemberJoin } from "../shared/teams/events/team-member-join.ts";
import { teamMemberLeave } from "../shared/teams/events/team-member-leave.ts";
import { teamMemberUpdate } from "../shared/teams/events/team-member-update.ts";
import { teamUpdate } from "../shared/teams/events/team-update.ts";

/** Every kind of event that clients receive, in the order of the API document. */
export const events: readonly EventSpec[] = [
  userActivate,
  userUpdate,
  userUpdatePrivately,
  userIdentityRemove,
  userDelete,
  userConnection,
  userClientAdd,
  userClientRemove,
  userPushRemove,
  userPropertiesSet,
  userPropertiesDelete,
  userPropertiesClear,
  userLegalholdRequest,
  userLegalholdEnable,
  userLegalholdDisable,
  teamCreate,
  teamUpdate,
  teamDelete,
  teamMemberJoin,
  teamMemberUpdate,
  teamMemberLeave,
  featureConfigUpdate,
  conversationCreate,
  conversationConnectRequest,
  conversationMemberJoin,
  conversationMemberLeave,
  conversationOwnUpdate,
  conversationMemberUpdate,
  conversationRename,
  conversationAccessUpdate,
  conversationReceiptModeUpdate,
  conversationMessageTimerUpdate,
  conversationAddPermissionUpdate,
  conversationProtocolUpdate,
  conversationTyping,
  conversationDelete,
  conversationCodeUpdate,
  conversationCodeDelete,
  conversationOtrMessageAdd,
  conversationMlsMessageAdd,
  conversationMlsWelcome,
  conversationMlsReset,
];
