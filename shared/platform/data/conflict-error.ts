/** Others kept changing the same data. Callers get `concurrent-change`. */
export class ConflictError extends Error {
  override readonly name: string = "ConflictError";
}
