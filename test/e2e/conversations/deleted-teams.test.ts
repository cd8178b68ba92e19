import { beforeAll, describe, expect, it } from "vitest";
import { itemsMentioning } from "../../support/all-items.ts";
import { outcome } from "../../support/api.ts";
import { connectUsers, localDomain } from "../../support/connections.ts";
import { conversationData } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

describe("the conversations of a deleted team", () => {
  let stack: OwnStack;
  let data: ReturnType<typeof conversationData>;
  beforeAll(async () => {
    stack = await ownStack({ outboxResendSeconds: 1, deleteConvThrottleMillis: 1 });
    data = conversationData(stack);
  });

  const deleteTeam = ({ id, owner: { token, password } }: Team, { publicApi } = stack) =>
    publicApi("DELETE", `/teams/${id}`, { token, json: { password } });

  const untilDeleted = ({ id }: Team, { internalApi } = stack) =>
    eventually(async () => {
      const { body } = await internalApi("GET", `/i/teams/${id}`);
      expect(body.status).toBe("deleted");
    });

  const eventsOf = ({ token }: User, wanted: string | RegExp = /^conversation\.(delete|member-leave)$/) =>
    storedEvents(token, wanted, stack.publicApi);

  it("are deleted, and participants outside the team get conversation.delete", async () => {
    const team = await newTeam({}, stack);
    const [owner, member, guest, contact] = await Promise.all([
      team.add("owner"),
      team.add(),
      newUser({}, stack),
      newUser({}, stack),
    ]);
    await connectUsers(guest, contact, stack);
    const withGuest = await data.newConversation([member, guest, owner], {
      team,
      access: ["invite", "code"],
    });
    await data.newConversation([member, owner], { team });
    const others = await data.newConversation([guest, contact]);
    const link = await stack.publicApi("POST", `/v4/conversations/${withGuest.id}/code`, {
      token: member.token,
      json: {},
    });
    expect(outcome(link)).toBe("201");
    const { token, password } = owner;
    expect(outcome(await stack.publicApi("DELETE", `/teams/${team.id}`, { token, json: { password } }))).toBe(
      "202",
    );
    await untilDeleted(team);
    await eventually(async () => {
      expect(await eventsOf(guest)).toEqual([
        {
          type: "conversation.delete",
          conversation: withGuest.id,
          qualified_conversation: { domain: localDomain, id: withGuest.id },
          from: owner.id,
          qualified_from: { domain: localDomain, id: owner.id },
          time: expect.any(String),
          via: "user",
          team: team.id,
          data: null,
        },
      ]);
    });
    for (const user of [member, owner, contact]) expect(await eventsOf(user)).toEqual([]);
    const roles = await stack.publicApi("GET", `/conversations/${withGuest.id}/roles`, {
      token: guest.token,
    });
    expect(outcome(roles)).toBe("404 no-conversation");
    const { key, code } = link.body.data;
    const joining = await stack.publicApi("GET", `/conversations/join?key=${key}&code=${code}`, {
      token: contact.token,
    });
    expect(outcome(joining)).toBe("404 no-conversation-code");
    await eventually(async () => {
      const { conversations = [] } = await itemsMentioning(team.id, stack.prefix);
      expect(conversations).toEqual([]);
      expect((await itemsMentioning(withGuest.id, stack.prefix)).conversations ?? []).toEqual([]);
    });
    const listed = await data.store.listOfUser(guest.id, { limit: 10 });
    expect(listed.map(({ conversationId }) => conversationId)).toContain(others.id);
  });

  it("name the founder when the operator deletes the team", async () => {
    const [team, guest] = await Promise.all([newTeam({}, stack), newUser({}, stack)]);
    await data.newConversation([team.owner, guest], { team });
    expect(outcome(await stack.internalApi("DELETE", `/i/teams/${team.id}?force=true`))).toBe("202");
    await eventually(async () => {
      expect(await eventsOf(guest)).toMatchObject([{ type: "conversation.delete", from: team.owner.id }]);
    });
  });

  it("are deleted by the next worker when one has died, and each guest is told once", async () => {
    const [team, guest] = await Promise.all([newTeam({}, stack), newUser({}, stack)]);
    const ids = await data.newConversations(40, [team.owner, guest], { team });
    let deleted = 0;
    const end = injectFaults(({ service, action, body }) => {
      const isDeletion =
        service === "dynamodb" && action === "TransactWriteItems" && body.includes("conversation.delete");
      return isDeletion && ++deleted > 10 ? "dies-after" : undefined;
    });
    await deleteTeam(team);
    await eventually(() => expect(deleted).toBeGreaterThan(10));
    end();
    await untilDeleted(team);
    await eventually(async () => {
      const told = (await eventsOf(guest)).map(({ conversation }) => String(conversation));
      expect(told.toSorted()).toEqual(ids);
      expect((await itemsMentioning(team.id, stack.prefix)).conversations ?? []).toEqual([]);
    });
  });

  it("are deleted in parts when a job runs out of time", async () => {
    // Without sweeps: when the time is up, the lease is over as well, and a sweep would have the order carried out twice.
    const unswept = await ownStack({ outboxResendSeconds: 600, deleteConvThrottleMillis: 1 });
    const [team, guest] = await Promise.all([newTeam({}, unswept), newUser({}, unswept)]);
    await conversationData(unswept).newConversations(40, [team.owner, guest], { team });
    let deleted = 0;
    let orders = 0;
    const end = injectFaults(({ service, action, body, isFirstAttempt }) => {
      if (service !== "dynamodb" || action !== "TransactWriteItems" || !isFirstAttempt) return undefined;
      if (body.includes("conversation.delete") && ++deleted === 3) unswept.advance(100);
      if (body.includes('"team-jobs#')) orders++;
      return undefined;
    });
    await deleteTeam(team, unswept);
    await untilDeleted(team, unswept);
    end();
    expect(orders).toBe(2);
    await eventually(async () => {
      const told = await storedEvents(guest.token, "conversation.delete", unswept.publicApi);
      expect(told).toHaveLength(40);
    });
  });

  it("leave nothing behind when users create, join and leave them meanwhile", async () => {
    const [team, guest] = await Promise.all([newTeam({}, stack), newUser({}, stack)]);
    const [member, mate] = await Promise.all([team.add(), team.add()]);
    const ids = await data.newConversations(6, [team.owner, guest, member], { team });
    const call = (user: User, method: string, path: string, json?: object) =>
      stack.publicApi(method, path, { token: user.token, ...(json && { json }) });
    const creation = { users: [mate.id], name: "Late", team: { teamid: team.id } };
    const qualified = { qualified_users: [{ domain: localDomain, id: mate.id }] };
    const base = `/v9/conversations/${localDomain}`;
    const answers = await Promise.all([
      deleteTeam(team),
      ...ids.flatMap((id) => [
        call(member, "POST", "/v9/conversations", creation),
        call(member, "POST", `${base}/${id}/members`, qualified),
        call(guest, "DELETE", `${base}/${id}/members/${localDomain}/${guest.id}`),
        call(member, "PUT", `${base}/${id}/name`, { name: "Late" }),
      ]),
    ]);
    const refusals = ["403 no-team-member", "404 no-conversation"];
    for (const answer of answers) expect(["200", "201", "202", ...refusals]).toContain(outcome(answer));
    await untilDeleted(team);
    await eventually(async () => {
      expect((await itemsMentioning(team.id, stack.prefix)).conversations ?? []).toEqual([]);
      for (const { id } of [member, mate, guest, team.owner]) {
        expect(await data.store.listOfUser(id, { limit: 1 })).toEqual([]);
      }
    });
  });
});
