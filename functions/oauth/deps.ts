import { JwtSigner } from "#shared/auth/jwt.ts";
import type { Config } from "#shared/config.ts";
import { AccountStore } from "#shared/data/account/account-store.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { AuthorizationCodeStore } from "#shared/data/oauth/authorization-code-store.ts";
import { GrantStore } from "#shared/data/oauth/grant-store.ts";
import { OAuthClientStore } from "#shared/data/oauth/oauth-client-store.ts";
import { PasswordCheckLimiter } from "#shared/data/password-check/password-check-limiter.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(config: Config, overrides?: Overrides) {
  const runtime = createRuntime("oauth", config, overrides);
  const { clock, secrets } = runtime;
  const client = createDocumentClient();
  return {
    ...runtime,
    accounts: new AccountStore(client, config),
    clients: new OAuthClientStore(client, config),
    codes: new AuthorizationCodeStore(client, config),
    grants: new GrantStore(client, config),
    passwordChecks: new PasswordCheckLimiter(client, config, clock),
    signer: new JwtSigner(secrets, clock),
  };
}
