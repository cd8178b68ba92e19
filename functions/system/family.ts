import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const system: Family = {
  name: "system",
  summary: "What clients need to know of this installation",
  routes,
  secrets: ["verification-keys"],
};
