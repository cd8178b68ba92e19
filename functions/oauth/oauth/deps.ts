import { AccountStore } from "#shared/accounts/account-store.ts";
import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { AppStore } from "#shared/oauth/app-store.ts";
import { AuthorizationCodeStore } from "#shared/oauth/authorization-code-store.ts";
import { GrantStore } from "#shared/oauth/grant-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { JwtSigner } from "#shared/sessions/tokens/jwt.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const secrets = new SecretReader(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets),
    secrets,
    accounts: new AccountStore(stores),
    apps: new AppStore(stores),
    codes: new AuthorizationCodeStore(stores),
    grants: new GrantStore(stores),
    passwordChecks: new PasswordCheckLimiter(stores),
    signer: new JwtSigner(secrets, runtime),
  };
}
