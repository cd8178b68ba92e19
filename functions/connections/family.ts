import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const connections: Family = {
  name: "connections",
  summary: "Connections between users",
  routes,
  secrets: ["verification-keys"],
};
