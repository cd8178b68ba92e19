import { IdentityTakenError } from "#shared/accounts/account-errors.ts";
import type { Identity } from "#shared/accounts/identity.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";

const attributes = {
  email: "emails",
  handle: "userName",
  saml: "externalId",
  "external-id": "externalId",
} as const satisfies Partial<Record<Identity["kind"], string>>;

/** The error of an attribute whose value another user has. */
export const taken = (kind: keyof typeof attributes, cause?: Error): ApiError =>
  new ApiError("scim-uniqueness", { message: `${attributes[kind]}: another user has it`, cause });

/** Says in the words of SCIM that another user has an identity. */
export function answerTaken(error: unknown): never {
  if (!(error instanceof IdentityTakenError)) throw error;
  const { kind } = error;
  throw kind === "email" || kind === "phone"
    ? new ApiError("key-exists", { cause: error })
    : taken(kind, error);
}
