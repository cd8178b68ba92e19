import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import { chargePasswordCheck } from "#shared/accounts/credentials/charge-password-check.ts";
import { verifyPassword } from "#shared/accounts/credentials/password.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { AppStore } from "./app-store.ts";
import type { GrantStore } from "./grant-store.ts";

type Deps = Pick<AccountDeps, "accounts" | "clock" | "passwordChecks"> & {
  readonly apps: AppStore;
  readonly grants: GrantStore;
};

export interface AuthorizedApp {
  readonly id: string;
  readonly name: string;
  readonly sessions: { refresh_token_id: string; created_at: string }[];
}

/** List the apps with live access to an account; leaves out those that the operator has removed. */
export async function listAuthorizedApps({ apps, clock, grants }: Deps, userId: string) {
  const current = await grants.ofUser(userId);
  const live = Object.values(current.grants).filter(({ expiresAt }) => expiresAt > clock());
  const known = await apps.getMany(live.map(({ clientId }) => clientId));
  return known
    .map(({ clientId, applicationName }): AuthorizedApp => {
      const own = live.filter((grant) => grant.clientId === clientId);
      return {
        id: clientId,
        name: applicationName,
        sessions: own
          .toSorted((one, other) => one.issuedAt - other.issuedAt)
          .map(({ refreshTokenId, issuedAt }) => ({
            refresh_token_id: refreshTokenId,
            created_at: new Date(issuedAt).toISOString(),
          })),
      };
    })
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

/**
 * End one session of an app; one that does not exist is ignored.
 * @throws ApiError `not-found` when the session is another app's
 */
export async function removeSession(
  { grants }: Pick<Deps, "grants">,
  userId: string,
  { clientId, refreshTokenId }: { clientId: string; refreshTokenId: string },
): Promise<void> {
  const current = await grants.ofUser(userId);
  const grant = Object.values(current.grants).find((one) => one.refreshTokenId === refreshTokenId);
  if (grant === undefined) return;
  if (grant.clientId !== clientId) throw new ApiError("not-found");
  await grants.remove(userId, ({ grantId }) => grantId === grant.grantId);
}

/**
 * Check the password of a user who revokes access; none is needed if the account has none.
 * @throws ApiError `application-access-denied`, `login-budget-exhausted`, `too-many-requests`
 */
export async function confirmPassword(
  { accounts, passwordChecks }: Pick<Deps, "accounts" | "passwordChecks">,
  userId: string,
  password: string | undefined,
): Promise<void> {
  const hash = (await accounts.get(userId))?.passwordHash;
  if (hash === undefined && password === undefined) return;
  if (hash === undefined || password === undefined) throw new ApiError("application-access-denied");
  await chargePasswordCheck(passwordChecks, { userId });
  if (!(await verifyPassword(password, hash))) throw new ApiError("application-access-denied");
  await passwordChecks.refund({ userId });
}
