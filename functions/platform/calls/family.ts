import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "platform",
  name: "calls",
  summary: "Servers and credentials for calls",
  routes,
  tables: { accounts: "read", teams: "read" },
  secrets: ["verification-keys", "turn-secret", "sft-secret"],
};
