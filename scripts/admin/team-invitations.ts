import { limit, team } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import type { Paging } from "./internal-api.ts";
import { allOf } from "./list-command.ts";
import { namesOfUsers } from "./shown-names.ts";
import { asAdminOf } from "./team.ts";

const paging: Paging = {
  size: "size",
  next: ({ has_more, invitations }) => (has_more ? { start: invitations.at(-1).id } : undefined),
};

const pathOf = (id: string) => `/teams/${encodeURIComponent(id)}/invitations`;

export const teamInvitationsList = defineCommand({
  name: "team invitations list",
  summary: "List the pending invitations of a team",
  examples: ["team invitations list 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod"],
  effect: "reads",
  arguments: { team },
  options: { limit },
  async run({ api, note }, values) {
    const list = api.list(pathOf(values.team), "invitations", values.limit, {
      ...(await asAdminOf(api, values.team)),
      paging,
    });
    const invitations = await allOf(note, list);
    const names = await namesOfUsers(
      api,
      invitations.map(({ created_by }) => created_by),
    );
    return invitations.map(({ id, email, name, role, created_at, created_by }) => ({
      id,
      email,
      name: name ?? undefined,
      role,
      created_at,
      created_by,
      created_by_name: names.get(created_by),
    }));
  },
});

export const teamInvitationsRevoke = defineCommand({
  name: "team invitations revoke",
  summary: "Revoke an invitation to a team, if it is pending",
  examples: [
    "team invitations revoke 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 7f0e3a52-98c6-4b27-b7e5-0d1f6a3c9b84 --stage prod",
  ],
  effect: "changes",
  arguments: { team, invitation: { kind: "id", description: "id from team invitations list" } },
  async run({ api }, { team: id, invitation }) {
    if (invitation.includes("@"))
      throw new CommandError(`Not the id of an invitation: ${invitation}; team invitations list has it`);
    const path = `${pathOf(id)}/${encodeURIComponent(invitation)}`;
    await api.call("DELETE", path, await asAdminOf(api, id));
  },
});
