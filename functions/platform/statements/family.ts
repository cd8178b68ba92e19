import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "platform",
  name: "statements",
  summary: "Signatures of what operators export or certify",
  routes,
  secrets: ["signing-keys", "verification-keys"],
};
