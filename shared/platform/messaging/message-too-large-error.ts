/** A message's content for one recipient is larger than an answer can be, so it could never be read. */
export class MessageTooLargeError extends Error {
  override readonly name = "MessageTooLargeError";
}
