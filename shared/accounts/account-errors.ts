import type { Identity } from "./identity.ts";

/** Another account holds the identity. */
export class IdentityTakenError extends Error {
  override readonly name = "IdentityTakenError";
  readonly kind: Identity["kind"];

  constructor(kind: Identity["kind"]) {
    super(`The ${kind} is in use`);
    this.kind = kind;
  }
}

/** There is no such account, or it has been deleted. */
export class AccountNotFoundError extends Error {
  override readonly name = "AccountNotFoundError";
}

/** The account is not active: suspended, deleted, or not activated yet. */
export class AccountInactiveError extends Error {
  override readonly name = "AccountInactiveError";
}
