import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const prekeys: Family = {
  name: "prekeys",
  summary: "Other users' devices, and the prekeys to reach them",
  routes,
  tables: { clients: "write" },
  secrets: ["verification-keys"],
};
