import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const secondFactor: Family = {
  name: "second-factor",
  summary: "Codes for the second factor",
  routes,
  secrets: ["verification-keys"],
};
