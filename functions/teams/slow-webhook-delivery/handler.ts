import { createWebhookWorker } from "#shared/teams/webhooks/webhook-worker.ts";
import type { Deps } from "./deps.ts";

/** Handle messages from the queue `slow-webhook-deliveries`. */
export const createHandler = (deps: Deps) => createWebhookWorker("slow-webhook-deliveries", deps);
