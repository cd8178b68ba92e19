import type { ErrorName } from "#shared/registry/errors.ts";

/** What a form of the team pages has done. */
const done = [
  "role-changed",
  "member-removed",
  "invited",
  "invitation-withdrawn",
  "switched-on",
  "switched-off",
  "provider-added",
  "provider-removed",
  "token-created",
  "token-revoked",
  "code-sent",
] as const;

/** Why a form has done nothing. */
const problems = [
  "refused",
  "gone",
  "wrong-code",
  "too-many-attempts",
  "too-many-admins",
  "invalid-address",
  "address-taken",
  "address-refused",
  "too-many",
  "no-own-address",
  "locked",
  "not-possible",
  "bad-metadata",
  "provider-known",
  "provider-in-use",
  "sso-off",
  "again",
] as const;

export const teamOutcomes = [...done, ...problems] as const;
export type TeamOutcome = (typeof teamOutcomes)[number];
export type TeamProblem = (typeof problems)[number];

export const isDone = (outcome: TeamOutcome): boolean => (done as readonly string[]).includes(outcome);

/** Errors of the use cases that people can do something about; every other error is thrown. */
export const teamProblems: Partial<Record<ErrorName, TeamProblem>> = {
  "access-denied": "refused",
  "operation-denied": "refused",
  "insufficient-permissions": "refused",
  "not-a-team-member": "refused",
  "invalid-permissions": "refused",
  "team-member-not-found": "gone",
  "not-found": "gone",
  "code-authentication-required": "wrong-code",
  "code-authentication-failed": "wrong-code",
  "login-budget-exhausted": "too-many-attempts",
  "too-many-requests": "too-many-attempts",
  "too-many-team-admins": "too-many-admins",
  "no-email": "no-own-address",
  "invalid-email": "invalid-address",
  "email-exists": "address-taken",
  "blacklisted-email": "address-refused",
  "domain-blocked-for-registration": "address-refused",
  "condition-failed": "address-refused",
  "too-many-team-invitations": "too-many",
  "token-limit-reached": "too-many",
  "idp-limit-reached": "too-many",
  "feature-locked": "locked",
  "legalhold-not-enabled": "not-possible",
  "legalhold-whitelisted-only": "not-possible",
  "too-large-team-for-legalhold": "not-possible",
  "invalid-metadata": "bad-metadata",
  "idp-must-be-https": "bad-metadata",
  "idp-already-in-use": "provider-known",
  "cannot-mix-idp-api-versions": "provider-known",
  "idp-duplicate-domain-for-team": "provider-known",
  "idp-has-bound-users": "provider-in-use",
  "cannot-delete-own-idp": "provider-in-use",
  "sso-disabled": "sso-off",
  "concurrent-change": "again",
};
