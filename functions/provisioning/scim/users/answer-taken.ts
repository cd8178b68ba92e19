import { IdentityTakenError } from "#shared/accounts/account-errors.ts";
import type { Identity } from "#shared/accounts/identity.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";

const attributes = {
  email: "emails",
  handle: "userName",
  saml: "externalId",
  "external-id": "externalId",
} as const satisfies Partial<Record<Identity["kind"], string>>;

/** Creates the error for an attribute whose value another user has. */
export const taken = (kind: keyof typeof attributes, cause?: Error): ApiError =>
  new ApiError("scim-uniqueness", { message: `${attributes[kind]}: another user has it`, cause });

/** Turns an identity that another user has into an error of SCIM. */
export function answerTaken(error: unknown): never {
  if (!(error instanceof IdentityTakenError)) throw error;
  const { kind } = error;
  throw kind === "email" || kind === "phone"
    ? new ApiError("key-exists", { cause: error })
    : taken(kind, error);
}
