import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const calls: Family = {
  name: "calls",
  summary: "Servers and credentials for calls",
  routes,
  secrets: ["verification-keys", "turn-secret", "sft-secret"],
};
