import { roleOf } from "#shared/teams/permissions.ts";
import { type Command, only } from "./command.ts";

export const teamShow: Command = {
  name: "team show",
  usage: "ID",
  summary: "Show a team: status, size, owners and admins, legal hold, identity providers",
  examples: ["team show 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod"],
  async run({ api }, args) {
    const path = `/i/teams/${encodeURIComponent(only(args, "the id of a team"))}`;
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
};

interface Admin {
  readonly user: string;
  readonly permissions: Parameters<typeof roleOf>[0];
}
