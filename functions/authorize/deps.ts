import { JwtSigner } from "#shared/auth/jwt.ts";
import { VerificationCodes } from "#shared/auth/verification-code.ts";
import type { Config } from "#shared/config.ts";
import { AccountStore } from "#shared/data/account/account-store.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { CodeStore } from "#shared/data/code/code-store.ts";
import { IdentityLookup } from "#shared/data/identity-lookup.ts";
import { AuthorizationCodeStore } from "#shared/data/oauth/authorization-code-store.ts";
import { OAuthClientStore } from "#shared/data/oauth/oauth-client-store.ts";
import { PasswordCheckLimiter } from "#shared/data/password-check/password-check-limiter.ts";
import { Outbox } from "#shared/messaging/outbox.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(config: Config, overrides?: Overrides) {
  const runtime = createRuntime("authorize", config, overrides);
  const { clock, log, secrets } = runtime;
  const client = createDocumentClient();
  const accounts = new AccountStore(client, config);
  const codes = new CodeStore(client, config, clock);
  return {
    ...runtime,
    client,
    accounts,
    authorizationCodes: new AuthorizationCodeStore(client, config),
    clients: new OAuthClientStore(client, config),
    codes,
    identities: new IdentityLookup(client, accounts, codes),
    outbox: new Outbox(config, clock, log),
    passwordChecks: new PasswordCheckLimiter(client, config, clock),
    signer: new JwtSigner(secrets, clock),
    verificationCodes: new VerificationCodes(secrets),
  };
}
