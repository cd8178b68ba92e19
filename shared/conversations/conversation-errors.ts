/** A user is not a member of the conversation. */
export class NotConversationMemberError extends Error {
  override readonly name = "NotConversationMemberError";
}
