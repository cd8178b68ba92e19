import { AccountStore } from "#shared/accounts/account-store.ts";
import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { AppStore } from "#shared/oauth/app-store.ts";
import { AuthorizationCodeStore } from "#shared/oauth/authorization-code-store.ts";
import { GrantStore } from "#shared/oauth/grant-store.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { JwtSigner } from "#shared/sessions/tokens/jwt.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  ...verifiers,
  accounts: AccountStore,
  apps: AppStore,
  codes: AuthorizationCodeStore,
  grants: GrantStore,
  passwordChecks: PasswordCheckLimiter,
  sessions: SessionStore,
  signer: JwtSigner,
});
