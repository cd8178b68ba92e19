import { SuppressionStore } from "#shared/codes/mail/suppression-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { InvitationCodes } from "#shared/teams/invitation-code.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const secrets = new SecretReader(runtime);
  return {
    ...runtime,
    codes: new VerificationCodes(secrets),
    invitationCodes: new InvitationCodes(secrets),
    outbox: new OutboxWorker(stores),
    suppressions: new SuppressionStore(stores),
  };
}
