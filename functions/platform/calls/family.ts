import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "platform",
  name: "calls",
  summary: "Servers and credentials for calls",
  routes,
  secrets: ["verification-keys", "turn-secret", "sft-secret"],
};
