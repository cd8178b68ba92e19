import { listCommand } from "./list-command.ts";

export const appsList = listCommand(
  {
    name: "apps list",
    summary: "List the OAuth apps",
    examples: ["apps list --stage prod", "apps list --json"],
  },
  { path: "/i/oauth/clients", field: "clients" },
);
