import type { ErrorName } from "../product.ts";
import { ApiError, type ErrorDetails } from "./api-error.ts";

/**
 * Creates a handler for `catch` that turns one domain error into an error of the catalogue and rethrows all others.
 *
 * @example await change(deps, decide).catch(answer(IdentityTakenError, "handle-exists"));
 */
export const answer =
  <DomainError extends Error>(
    type: new (...args: never[]) => DomainError,
    name: ErrorName,
    detailsOf: (error: DomainError) => ErrorDetails = () => ({}),
  ) =>
  (error: unknown): never => {
    if (!(error instanceof type)) throw error;
    throw new ApiError(name, { ...detailsOf(error), cause: error });
  };
