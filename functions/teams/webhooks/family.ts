import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "teams",
  name: "webhooks",
  summary: "Webhooks of teams and of the operator: where events are sent, and what became of them",
  routes,
  tables: { audit: "record", teams: "read", webhooks: "write" },
  secrets: ["webhook-key"],
};
