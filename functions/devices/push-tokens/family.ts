import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "devices",
  name: "push-tokens",
  summary: "Push tokens: the addresses at which devices are woken",
  routes,
  tables: { accounts: "read", outbox: "write", "rate-limits": "write", sockets: "write" },
  sends: ["push-endpoints"],
  pushes: ["register"],
  secrets: ["verification-keys"],
};
