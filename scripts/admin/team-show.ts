import { roleOf } from "#shared/teams/permissions.ts";
import { team as teamArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";

export const teamShow = defineCommand({
  name: "team show",
  summary: "Show a team: status, size, owners and admins, legal hold, identity providers",
  examples: ["team show 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod"],
  effect: "reads",
  arguments: { team: teamArgument },
  async run({ api }, values) {
    const path = `/i/teams/${encodeURIComponent(values.team)}`;
    const { team, status, status_time } = await api.read(path);
    const [{ teamSize }, { members }, legalHold, { providers }] = await Promise.all([
      api.read(`${path}/size`),
      api.read(`${path}/members/admins`),
      api.read(`${path}/features/legalhold`),
      api.read(`/i/identity-providers/${team.id}`),
    ]);
    return {
      id: team.id,
      name: team.name,
      status,
      status_since: status_time,
      members: teamSize,
      legal_hold: legalHold.status,
      identity_providers: providers.length,
      admins: members.map(({ user, permissions }: Admin) => ({ user, role: roleOf(permissions) })),
    };
  },
});

interface Admin {
  readonly user: string;
  readonly permissions: Parameters<typeof roleOf>[0];
}
