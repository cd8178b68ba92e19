import {
  userPropertiesClear,
  userPropertiesDelete,
  userPropertiesSet,
} from "#shared/accounts/properties/property.ts";
import { userConnection } from "#shared/conversations/connections/connection-view.ts";
import { userPushRemove } from "#shared/events/push/push-token-view.ts";
import {
  userActivate,
  userDelete,
  userIdentityRemove,
  userUpdate,
  userUpdatePrivately,
} from "../shared/accounts/events.ts";
import {
  conversationConnectRequest,
  conversationCreate,
  conversationDelete,
  conversationMlsReset,
} from "../shared/conversations/events/lifecycle.ts";
import {
  conversationMemberJoin,
  conversationMemberLeave,
  conversationMemberUpdate,
  conversationOwnUpdate,
} from "../shared/conversations/events/members.ts";
import {
  conversationMlsMessageAdd,
  conversationMlsWelcome,
  conversationOtrMessageAdd,
  conversationTyping,
} from "../shared/conversations/events/messages.ts";
import {
  conversationAccessUpdate,
  conversationAddPermissionUpdate,
  conversationCodeDelete,
  conversationCodeUpdate,
  conversationMessageTimerUpdate,
  conversationProtocolUpdate,
  conversationReceiptModeUpdate,
  conversationRename,
} from "../shared/conversations/events/settings.ts";
import {
  userLegalholdDisable,
  userLegalholdEnable,
  userLegalholdRequest,
} from "../shared/conversations/legal-hold/events.ts";
import { userClientAdd, userClientRemove } from "../shared/devices/events.ts";
import type { EventSpec } from "../shared/events/event.ts";
import {
  featureConfigUpdate,
  teamCreate,
  teamDelete,
  teamMemberJoin,
  teamMemberLeave,
  teamMemberUpdate,
  teamUpdate,
} from "../shared/teams/events.ts";

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
