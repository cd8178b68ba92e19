import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { actionsOf } from "#shared/conversations/conversation-roles.ts";
import { api } from "../../support/api.ts";
import { newConversation } from "../../support/conversations.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser } from "../../support/users.ts";

const roles = {
  conversation_roles: [
    { conversation_role: "svc_admin", actions: actionsOf("admin") },
    { conversation_role: "svc_member", actions: ["leave_conversation"] },
  ],
};

describe.concurrent("GET /conversations/{cid}/roles", () => {
  it("lists both roles to members only", async () => {
    const [member, stranger] = await Promise.all([newUser(), newUser()]);
    const { id } = await newConversation([member]);
    const list = (cid: string, { token }: { token: string }) =>
      api("GET", `/conversations/${cid}/roles`, { token });
    expect(await list(id, member)).toMatchObject({ status: 200, body: roles });
    expect(await list(id, stranger)).toMatchObject({ status: 403, body: { label: "access-denied" } });
    expect(await list(randomUUID(), member)).toMatchObject({
      status: 404,
      body: { label: "no-conversation" },
    });
  });
});

describe.concurrent("GET /teams/{tid}/conversations/roles", () => {
  it("lists both roles to members of the team only", async () => {
    const [team, stranger] = await Promise.all([newTeam(), newUser()]);
    const list = ({ token }: { token: string }) =>
      api("GET", `/teams/${team.id}/conversations/roles`, { token });
    expect(await list(team.owner)).toMatchObject({ status: 200, body: roles });
    expect(await list(stranger)).toMatchObject({ status: 403, body: { label: "no-team-member" } });
  });
});
