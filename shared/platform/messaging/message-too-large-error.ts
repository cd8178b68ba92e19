/** What somebody would get by a message is larger than one answer can be: they could never read it. */
export class MessageTooLargeError extends Error {
  override readonly name = "MessageTooLargeError";
}
