import { AccountStore } from "#shared/accounts/account-store.ts";
import { AuditReader } from "#shared/platform/audit/reader.ts";
import { describeFormRefusal } from "#shared/platform/html/describe-form-refusal.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { JwtVerifier } from "#shared/sessions/tokens/jwt.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    accounts: AccountStore,
    audit: AuditReader,
    secrets: SecretReader,
    jwtVerifier: JwtVerifier,
    sessions: SessionStore,
    teams: TeamStore,
  },
  () => ({ describeRefusal: describeFormRefusal }),
);
