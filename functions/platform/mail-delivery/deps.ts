import { SuppressionStore } from "#shared/codes/mail/suppression-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { InvitationCodes } from "#shared/teams/invitation-code.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  secrets: SecretReader,
  outbox: OutboxWorker,
  codes: VerificationCodes,
  invitationCodes: InvitationCodes,
  suppressions: SuppressionStore,
});
