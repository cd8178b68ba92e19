/** DynamoDB left a part of a call undone in all attempts at it. Callers get `service-unavailable`. */
export class ThrottledError extends Error {
  override readonly name = "ThrottledError";
}
