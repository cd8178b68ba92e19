/** Others kept changing the same data. Callers get `concurrent-change`. */
export class ConflictError extends Error {
  override readonly name: string = "ConflictError";
}

/** DynamoDB did not complete a call in all attempts at it. Callers get `service-unavailable`. */
export class ThrottledError extends Error {
  override readonly name = "ThrottledError";
}
