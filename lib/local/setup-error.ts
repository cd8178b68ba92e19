/** Something that the developer can put right: the runner prints the message alone, without a stack trace. */
export class SetupError extends Error {
  override readonly name = "SetupError";
}
