import { roleOf } from "#shared/teams/permissions.ts";
import { limit, team } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import type { Paging } from "./internal-api.ts";
import { allOf } from "./list-command.ts";
import { asAdminOf } from "./team.ts";

const paging: Paging = {
  size: "maxResults",
  next: ({ hasMore, pagingState }) => (hasMore ? { pagingState } : undefined),
};

export const teamMembers = defineCommand({
  name: "team members",
  summary: "List the members of a team with their roles",
  examples: [
    "team members 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod",
    "team members 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --limit 10000 --json",
  ],
  effect: "reads",
  arguments: { team },
  options: { limit },
  async run({ api, note }, values) {
    const path = `/teams/${encodeURIComponent(values.team)}/members`;
    const list = api.list(path, "members", values.limit, {
      ...(await asAdminOf(api, values.team)),
      paging,
    });
    const members = await allOf(note, list);
    return members.map(({ user, permissions, created_at, created_by, legalhold_status }) => ({
      user,
      role: permissions && (roleOf(permissions) ?? "none of the roles"),
      joined: created_at,
      invited_by: created_by,
      legal_hold: legalhold_status,
    }));
  },
});
