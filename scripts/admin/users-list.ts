import { newestList } from "./newest-list.ts";

export const usersList = newestList(
  {
    name: "users list",
    summary: "List the users with their status, the newest first",
    examples: [
      "users list --limit 20 --stage prod",
      "users list --from 2026-11-26T20:00Z --to 2026-11-27T06:00Z --json",
    ],
  },
  { path: "/i/users/list", field: "users" },
);
