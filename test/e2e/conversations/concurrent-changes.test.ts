import { describe, expect, it } from "vitest";
import { type ApiAnswer, api, outcome } from "../../support/api.ts";
import { connectUsers, localDomain } from "../../support/connections.ts";
import { conversationData, newConversation } from "../../support/conversations.ts";
import { storedEvents, upTo } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

const { store } = conversationData();

type Caller = Pick<User, "token">;

const call = (method: string, { token }: Caller, cid: string, path: string, json?: object) =>
  api(method, `/v9/conversations/${localDomain}/${cid}${path}`, { token, json });
const rename = (user: Caller, cid: string, name: string) => call("PUT", user, cid, "/name", { name });
const setTimer = (user: Caller, cid: string, message_timer: number) =>
  call("PUT", user, cid, "/message-timer", { message_timer });
const setRoles = (user: Caller, cid: string, access_role: string[]) =>
  call("PUT", user, cid, "/access", { access: ["invite"], access_role });
const remove = (user: Caller, cid: string, { id }: Pick<User, "id">) =>
  call("DELETE", user, cid, `/members/${localDomain}/${id}`);
const add = (user: Caller, cid: string, { id }: Pick<User, "id">) =>
  call("POST", user, cid, "/members", { qualified_users: [{ domain: localDomain, id }] });

const eventsOf = ({ token }: Caller) => storedEvents(token, /^conversation\./);

/** The events in answers, in the order of the changes. */
const eventsIn = (answers: readonly ApiAnswer[]) =>
  answers
    .filter(({ status }) => status === 200)
    .map(({ body }) => body)
    .toSorted((one, other) => (one.time < other.time ? -1 : 1));

describe.concurrent("concurrent changes of a conversation", () => {
  it("reach all members in order, and the last change wins", async () => {
    const users = await Promise.all([newUser(), newUser(), newUser()]);
    const [ada, bob, eve] = users;
    const { id } = await newConversation(users);
    const answers = await Promise.all([
      ...upTo(3).map((number) => rename(ada, id, `Name ${number}`)),
      ...upTo(3).map((number) => setTimer(bob, id, number * 1000)),
      ...upTo(3).map((number) => call("PUT", eve, id, "/receipt-mode", { receipt_mode: number })),
    ]);
    for (const answer of answers) expect(outcome(answer)).toBe("200");
    const expected = eventsIn(answers);
    await eventually(async () => {
      for (const user of users) expect(await eventsOf(user)).toEqual(expected);
    });
    const lastOf = (type: string) => expected.findLast((event) => event.type === type)?.data;
    expect(await store.get(id)).toMatchObject({
      revision: 10,
      name: lastOf("conversation.rename").name,
      messageTimer: lastOf("conversation.message-timer-update").message_timer,
      receiptMode: lastOf("conversation.receipt-mode-update").receipt_mode,
    });
  });

  it("reach a member who leaves up to the departure, and no further", async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    const { id } = await newConversation([ada, bob]);
    const answers = await Promise.all([
      ...upTo(3).map((number) => rename(ada, id, `Name ${number}`)),
      remove(bob, id, bob),
      ...upTo(3).map((number) => rename(bob, id, `Bob's ${number}`)),
    ]);
    for (const answer of answers) expect(["200", "404 no-conversation"]).toContain(outcome(answer));
    const expected = eventsIn(answers);
    const left = expected.findIndex(({ type }) => type === "conversation.member-leave");
    expect(expected.slice(left + 1).filter(({ from }) => from === bob.id)).toEqual([]);
    await eventually(async () => {
      expect(await eventsOf(ada)).toEqual(expected);
      expect(await eventsOf(bob)).toEqual(expected.slice(0, left + 1));
    });
  });

  it("let in no guest whom the access roles exclude by then", async () => {
    const team = await newTeam();
    const [member, ...guests] = await Promise.all([team.add(), newUser(), newUser(), newUser()]);
    await Promise.all(guests.map((guest) => connectUsers(member, guest)));
    const { id } = await newConversation([team.owner, member], { team });
    const [changed, ...added] = await Promise.all([
      setRoles(team.owner, id, ["team_member"]),
      ...guests.map((guest) => add(member, id, guest)),
    ]);
    expect(changed?.status).toBe(200);
    for (const answer of added) expect(["200", "403 no-team-member"]).toContain(outcome(answer));
    const populated = await store.getPopulated(id);
    expect(populated?.members.map(({ userId }) => userId)).toEqual([team.owner.id, member.id].toSorted());
    expect(populated?.conversation.memberCount).toBe(2);
    for (const [index, guest] of guests.entries()) {
      const types = added[index]?.status === 200 ? ["access-update", "member-join", "member-leave"] : [];
      await eventually(async () =>
        expect((await eventsOf(guest)).map(({ type, from }) => [type, from]).toSorted()).toEqual(
          expect.arrayContaining(types.map((type) => [`conversation.${type}`, expect.any(String)])),
        ),
      );
    }
  });

  it("remove guests once when two users remove them concurrently", async () => {
    const team = await newTeam();
    const [member, guest] = await Promise.all([team.add(), newUser()]);
    const { id } = await newConversation([team.owner, member, guest], { team });
    const answers = await Promise.all([
      setRoles(team.owner, id, ["team_member"]),
      setRoles(member, id, ["team_member"]),
      remove(member, id, guest),
    ]);
    expect(
      answers
        .slice(0, 2)
        .map(({ status }) => status)
        .toSorted(),
    ).toEqual([200, 204]);
    expect([200, 204]).toContain(answers[2]?.status);
    expect(await store.get(id)).toMatchObject({ memberCount: 2 });
    await eventually(async () => {
      const types = (await eventsOf(guest)).map(({ type }) => type);
      expect(types.filter((type) => type === "conversation.member-leave")).toHaveLength(1);
      expect(types.at(-1)).toBe("conversation.member-leave");
    });
  });

  it("are refused to users who lose their rights in the team meanwhile", async () => {
    const team = await newTeam();
    const admin = await team.add("admin");
    const { id } = await newConversation([admin], {
      team,
      groupType: "channel",
      protocol: "mls",
      roles: { [admin.id]: "member" },
    });
    const permissions = { self: 1587, copy: 1587 };
    const json = { member: { user: admin.id, permissions } };
    const [demoted, ...renamed] = await Promise.all([
      api("PUT", `/teams/${team.id}/members`, { token: team.owner.token, json }),
      ...upTo(4).map((number) => rename(admin, id, `Name ${number}`)),
    ]);
    expect(demoted?.status).toBe(200);
    for (const answer of renamed) expect(["200", "403 action-denied"]).toContain(outcome(answer));
    expect(outcome(await rename(admin, id, "Late"))).toBe("403 action-denied");
  });
});
