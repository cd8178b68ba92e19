import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const clients: Family = {
  name: "clients",
  summary: "The caller's devices",
  routes,
  secrets: ["verification-keys"],
};
