import { defineErrors } from "./define-errors.ts";

/** Errors of conversations, guest links and messages. */
export const conversationErrors = defineErrors({
  "client-error": { status: 400, message: "A value is out of its range" },
  "non-empty-member-list": {
    status: 400,
    message: "Members of an MLS conversation are added by commits, not when it is created",
  },
  "mls-migration-criteria-not-satisfied": { status: 400, message: "Not all members are ready for MLS" },
  "too-many-users-to-broadcast": { status: 400, message: "Too many users for a broadcast" },
  "action-denied": { status: 403, message: "Your role in the conversation does not include this" },
  "channels-not-enabled": { status: 403, message: "The team has no channels" },
  "invalid-conversation-password": {
    status: 403,
    message: "The password of the guest link is missing or wrong",
  },
  "invalid-op": { status: 403, message: "This is not possible in this conversation" },
  "invalid-protocol-transition": { status: 403, message: "The protocol cannot change in this way" },
  "mls-receipts-not-allowed": { status: 403, message: "MLS conversations have no read receipts" },
  "non-binding-team-members": { status: 403, message: "Both users have to be in the team" },
  "not-mls-conversation": { status: 403, message: "A channel has to use MLS" },
  "too-many-members": { status: 403, message: "The conversation has too many members" },
  "foreign-sending-device": {
    status: 403,
    label: "unknown-client",
    message: "The sending device is not one of yours",
  },
  "no-conversation": { status: 404, message: "No such conversation" },
  "no-conversation-code": { status: 404, message: "No such guest link" },
  "no-conversation-member": { status: 404, message: "No such member of the conversation" },
  "create-conv-code-conflict": {
    status: 409,
    message: "There is a guest link already, and a password is set or asked for",
  },
  "guest-links-disabled": { status: 409, message: "Guest links are switched off" },
  "federation-not-implemented": { status: 422, message: "Conversations of other domains cannot be changed" },
  "federation-connection-refused": {
    status: 533,
    message: "The other domain cannot be reached",
    isDeliberate: true,
  },
});
