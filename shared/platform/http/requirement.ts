import type { ErrorName, Settings } from "../product.ts";

/** Input of a requirement's check. */
interface RequirementInput {
  /** Parsed by the route's schema. */
  readonly params: unknown;
  readonly settings: Settings;
}

/**
 * A rule that every request of a route must meet: checked once the caller is authenticated and the input parsed, before
 * the handler runs. A domain declares the requirements that several of its routes share.
 */
export interface Requirement {
  /** Errors that `check` can throw; the route need not list them again. */
  readonly errors: readonly ErrorName[];
  /** @throws ApiError one of `errors` */
  readonly check: (input: RequirementInput) => void;
}
