/** A user already has the maximum number of connections. */
export class ConnectionLimitError extends Error {
  override readonly name = "ConnectionLimitError";
}
