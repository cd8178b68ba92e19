import { defineErrors } from "./define-errors.ts";

/** Errors of conversations, guest links and messages. */
export const conversationErrors = defineErrors({
  "client-error": { status: 400, message: "A value is out of its range" },
  "non-empty-member-list": {
    status: 400,
    message: "Members of an MLS conversation are added by commits, not when it is created",
  },
  "mls-migration-criteria-not-satisfied": { status: 400, message: "Not all members are ready for MLS" },
  "mls-client-sender-user-mismatch": { status: 400, message: "The sender in the message is not your device" },
  "mls-commit-missing-references": { status: 400, message: "The commit leaves out pending proposals" },
  "mls-invalid-leaf-node-index": { status: 400, message: "No device of the group has this leaf" },
  "mls-self-removal-not-allowed": { status: 400, message: "A commit cannot remove your own devices" },
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
  "mls-subconv-join-parent-missing": {
    status: 403,
    message: "Your device is not in the group of the conversation",
  },
  "mls-subconv-unsupported-convtype": {
    status: 403,
    message: "Conversations of this kind have no subconversations",
  },
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
  "mls-missing-group-info": { status: 404, message: "The group has no group info" },
  "mls-proposal-not-found": { status: 404, message: "No such pending proposal" },
  "mls-client-mismatch": { status: 409, message: "The devices do not match the users' current devices" },
  "mls-stale-message": { status: 409, message: "The message is not for the current epoch of the group" },
  "create-conv-code-conflict": {
    status: 409,
    message: "There is a guest link already, and a password is set or asked for",
  },
  "guest-links-disabled": { status: 409, message: "Guest links are switched off" },
  "federation-not-implemented": { status: 422, message: "Conversations of other domains cannot be changed" },
  "mls-unsupported-message": { status: 422, message: "Messages of this kind cannot be sent here" },
  "mls-unsupported-proposal": { status: 422, message: "Proposals of this kind are not supported" },
  "federation-connection-refused": {
    status: 533,
    message: "The other domain cannot be reached",
    isDeliberate: true,
  },
});
