import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { newConversation } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

const twoUsers = () => Promise.all([newUser(), newUser()]);

const rename = ({ token }: Pick<User, "token">, cid: string, name: unknown, domain = localDomain) =>
  api("PUT", `/conversations/${domain}/${cid}/name`, { token, json: { name } });

const renamesOf = ({ token }: User) => storedEvents(token, "conversation.rename");

describe.concurrent("PUT /conversations/{domain}/{cid}/name", () => {
  it("answers with the event that members get", async () => {
    const [ada, bob] = await twoUsers();
    const { id } = await newConversation([ada, bob]);
    const { status, body } = await rename(ada, id, "Engines");
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        type: "conversation.rename",
        conversation: id,
        qualified_conversation: { domain: localDomain, id },
        from: ada.id,
        qualified_from: { domain: localDomain, id: ada.id },
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        via: "user",
        data: { name: "Engines" },
      },
    });
    await eventually(async () => {
      for (const user of [ada, bob]) expect(await renamesOf(user)).toEqual([body]);
    });
  });

  it("names the team in the event of a team's conversation", async () => {
    const team = await newTeam();
    const { id } = await newConversation([team.owner], { team });
    expect(await rename(team.owner, id, "Engines")).toMatchObject({ status: 200, body: { team: team.id } });
  });

  it("sends the event even if the name is unchanged", async () => {
    const user = await newUser();
    const { id } = await newConversation([user], { name: "Engines" });
    expect((await rename(user, id, "Engines")).status).toBe(200);
    await eventually(async () => expect(await renamesOf(user)).toHaveLength(1));
  });

  it("accepts 1 to 256 characters", async () => {
    const user = await newUser();
    const { id } = await newConversation([user]);
    for (const name of ["", "x".repeat(257)])
      expect(outcome(await rename(user, id, name))).toBe("400 client-error");
    for (const name of ["x", "x".repeat(256), "🙂".repeat(256)])
      expect((await rename(user, id, name)).body.data).toEqual({ name });
    for (const name of [null, 1, undefined])
      expect(outcome(await rename(user, id, name))).toBe("400 bad-request");
  });

  it("is refused to members without the admin role, and to strangers", async () => {
    const [[ada, bob], stranger] = await Promise.all([twoUsers(), newUser()]);
    const { id } = await newConversation([ada, bob], { roles: { [bob.id]: "member" } });
    expect(outcome(await rename(bob, id, "Engines"))).toBe("403 action-denied");
    expect(outcome(await rename(stranger, id, "Engines"))).toBe("404 no-conversation");
    expect(outcome(await rename(ada, randomUUID(), "Engines"))).toBe("404 no-conversation");
  });

  it("is refused to partners of the team", async () => {
    const team = await newTeam();
    const partner = await team.add("partner");
    const { id } = await newConversation([partner, team.owner], { team });
    expect(outcome(await rename(partner, id, "Engines"))).toBe("403 invalid-op");
    expect((await rename(team.owner, id, "Engines")).status).toBe(200);
  });

  it("renames one-to-one conversations, but not the self conversation", async () => {
    const [ada, bob] = await twoUsers();
    const { id } = await newConversation([ada, bob], {
      type: "one-to-one",
      access: ["private"],
      accessRoles: [],
    });
    expect((await rename(ada, id, "Engines")).status).toBe(200);
    const self = await newConversation([ada], { type: "self", access: ["private"], accessRoles: [] });
    expect(outcome(await rename(ada, self.id, "Engines"))).toBe("403 invalid-op");
  });

  it("refuses conversations of other domains", async () => {
    const user = await newUser();
    const { id } = await newConversation([user]);
    expect(outcome(await rename(user, id, "Engines", "elsewhere.example"))).toBe(
      "422 federation-not-implemented",
    );
  });

  it("lets an admin of the team rename a channel that the admin is not in", async () => {
    const team = await newTeam();
    const member = await team.add();
    const { id } = await newConversation([member], { team, groupType: "channel", protocol: "mls" });
    const { body } = await rename(team.owner, id, "Engines");
    expect(body).toMatchObject({ from: team.owner.id, data: { name: "Engines" } });
    await eventually(async () => expect(await renamesOf(member)).toEqual([body]));
    expect(await renamesOf(team.owner)).toEqual([]);
  });

  it("leaves the name of the last event after concurrent changes", async () => {
    const users = await twoUsers();
    const { id } = await newConversation(users);
    const answers = await Promise.all(
      ["one", "two", "three", "four"].map((name, index) => rename(users[index % 2] as User, id, name)),
    );
    const inOrder = answers.map(({ body }) => body).toSorted((a, b) => (a.time < b.time ? -1 : 1));
    expect(new Set(inOrder.map(({ time }) => time)).size).toBe(4);
    await eventually(async () => {
      for (const user of users) expect(await renamesOf(user)).toEqual(inOrder);
    });
  });
});

describe.concurrent("older forms of the name", () => {
  it.each([
    ["/v7", "/name", 200],
    ["/v8", "/name", 404],
    ["/v0", "", 200],
    ["", "", 200],
  ])("%s/conversations/{cid}%s is answered %i", async (prefix, suffix, status) => {
    const user = await newUser();
    const { id } = await newConversation([user]);
    const { token } = user;
    const answer = await api("PUT", `${prefix}/conversations/${id}${suffix}`, {
      token,
      json: { name: "Engines" },
    });
    expect(answer.status).toBe(status);
  });
});
