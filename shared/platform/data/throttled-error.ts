/** DynamoDB did not complete a call in all attempts at it. Callers get `service-unavailable`. */
export class ThrottledError extends Error {
  override readonly name = "ThrottledError";
}
