import { type Claim, isExpired } from "#shared/accounts/account.ts";
import { IdentityTakenError } from "#shared/accounts/account-errors.ts";
import { deleteAccount } from "#shared/accounts/delete-account.ts";
import type { Identity } from "#shared/accounts/identity.ts";
import { externalIdClaim, samlClaimsInTeam } from "#shared/accounts/provisioned-identity.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import type { Deps } from "../deps.ts";
import type { ScimUser } from "./scim-user.ts";
import { userNameIdentity } from "./user-name.ts";

const attributes = {
  email: "emails",
  handle: "userName",
  saml: "externalId",
  "external-id": "externalId",
  "user-name": "userName",
} as const satisfies Partial<Record<Identity["kind"], string>>;

/** Creates the error for an attribute whose value another user has. */
const taken = (kind: keyof typeof attributes, cause?: Error): ApiError =>
  new ApiError("scim-uniqueness", { message: `${attributes[kind]}: another user has it`, cause });

/** Turns an identity that another user has into an error of SCIM. */
export function answerTaken(error: unknown): never {
  if (!(error instanceof IdentityTakenError)) throw error;
  const { kind } = error;
  throw kind === "email" || kind === "phone"
    ? new ApiError("key-exists", { cause: error })
    : taken(kind, error);
}

/** @throws ApiError `scim-uniqueness` when the external id or the user name is in use */
export async function checkUnused(
  deps: Deps,
  teamId: string,
  { externalId, userName }: ScimUser,
): Promise<void> {
  const name = userNameIdentity(teamId, userName);
  const identities = [externalIdClaim(teamId, externalId), name];
  const [known, holder] = await deps.accounts.findClaims(identities);
  if (known !== undefined && !(await isReleased(deps, known))) throw taken("external-id");
  if (holder !== undefined && !(await isReleased(deps, holder))) throw taken("user-name");
}

/** Whether a claim is free because the invitation of its holder has expired; the account is then deleted. */
async function isReleased(deps: Deps, { status, userId }: Claim): Promise<boolean> {
  if (status !== "pending-invitation") return false;
  const account = await deps.accounts.get(userId);
  if (account === undefined || account.status === "deleted") return true;
  if (!isExpired(account, deps.clock())) return false;
  await deleteAccount(deps, userId);
  return true;
}

/**
 * Checks that the team's single sign-on does not know the user under an earlier issuer.
 * @throws ApiError `scim-uniqueness`
 */
export async function checkUnknown(
  { accounts }: Deps,
  teamId: string,
  { externalId }: ScimUser,
  { oldIssuers }: IdentityProvider,
): Promise<void> {
  const identities = oldIssuers.flatMap((issuer) =>
    samlClaimsInTeam(teamId, { issuer, nameId: { text: externalId.trim() } }),
  );
  const claims = identities.length === 0 ? [] : await accounts.findClaims(identities);
  if (claims.some((claim) => claim?.teamId === teamId)) throw taken("external-id");
}
