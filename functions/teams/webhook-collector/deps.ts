import { AuditStore } from "#shared/platform/audit/audit-store.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { WebhookNudges } from "#shared/teams/webhooks/webhook-nudges.ts";
import { WebhookStore } from "#shared/teams/webhooks/webhook-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({ audit: AuditStore, nudges: WebhookNudges, webhooks: WebhookStore });
