/** A problem that the developer can fix: the runner prints the message alone, without a stack trace. */
export class SetupError extends Error {
  override readonly name = "SetupError";
}
