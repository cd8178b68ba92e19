import { newestList } from "./newest-list.ts";

export const teamsList = newestList(
  {
    name: "teams list",
    summary: "List the teams with their status and size, the newest first",
    examples: ["teams list --limit 20 --stage prod", "teams list --from 2026-11-01 --json"],
  },
  { path: "/i/teams/list", field: "teams" },
);
