import { describe, expect, it } from "vitest";
import type { Conversation } from "#shared/conversations/conversation.ts";
import { api, outcome } from "../../support/api.ts";
import { connectUsers, localDomain } from "../../support/connections.ts";
import { conversationData, qualified } from "../../support/conversations.ts";
import { setLegalHold } from "../../support/legal-hold-status.ts";
import { type MlsClient, newMlsClient } from "../../support/mls.ts";
import { followTo, type MlsGroup, newMlsGroup, newMlsGroupOf, newPeople } from "../../support/mls-groups.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser } from "../../support/users.ts";

const { store, write } = conversationData();

/** Change stored fields of a conversation, bypassing the API. */
async function setFields(id: string, fields: Partial<Conversation>): Promise<void> {
  const conversation = await store.get(id);
  if (conversation === undefined) throw new Error("No conversation");
  await write(store.change(conversation, { fields }).writes);
}

/** The outcome of a commit that adds all devices of users. */
const tryAdd = async (client: MlsClient, ...others: MlsClient[]) =>
  outcome(await client.commit(...(await client.additionsOf(...others.map(({ user }) => user)))));

async function newTeamGroup(team: Team, fields: Record<string, unknown> = {}) {
  const owner = await newMlsClient(team.owner, { packages: 0 });
  const group = await newMlsGroup(owner, { team: { teamid: team.id }, ...fields });
  await owner.mustCommit();
  return { owner, ...group };
}

/** Make a user a member of a group, with no device in it. */
async function join({ user }: MlsClient, { id }: Pick<MlsGroup, "id">): Promise<void> {
  const conversation = await store.get(id);
  if (conversation === undefined) throw new Error("No conversation");
  const joining = [{ conversationId: id, userId: user.id, role: "member" as const }];
  await write(store.change(conversation, { joining }).writes);
}

describe.concurrent("a commit adds users to a conversation", () => {
  it("only while it is open to invitations, and only users whom its access roles admit", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    const { id } = await newMlsGroupOf(ada, bob);
    await setFields(id, { access: ["code"] });
    expect(await tryAdd(ada, cleo)).toBe("403 access-denied");
    await setFields(id, { access: ["invite"] });
    expect(await tryAdd(ada, cleo)).toBe("201");

    const team = await newTeam();
    const { owner } = await newTeamGroup(team, { access_role: ["team_member", "guest"] });
    const [friend, mate] = [await newMlsClient(await newUser()), await newMlsClient(await team.add())];
    await connectUsers(team.owner, friend.user);
    expect(await tryAdd(owner, friend)).toBe("403 no-team-member");
    expect(await tryAdd(owner, mate)).toBe("201");
  });

  it("but not if the committer is a partner of its team, whatever the partner's role in it", async () => {
    const team = await newTeam();
    const group = await newTeamGroup(team);
    const partner = await newMlsClient(await team.add("partner"), { packages: 1 });
    const mate = await newMlsClient(await team.add());
    expect(await tryAdd(group.owner, partner)).toBe("201");
    await followTo(partner, 2);
    expect(await tryAdd(partner, mate)).toBe("403 action-denied");
    const role = { token: team.owner.token, json: { conversation_role: "svc_admin" } };
    const path = `/v9/conversations/${localDomain}/${group.id}/members/${localDomain}/${partner.user.id}`;
    expect(outcome(await api("PUT", path, role))).toBe("200");
    const again = await newMlsClient(mate.user);
    expect(await tryAdd(partner, again)).toBe("403 invalid-op");
  });

  it("even if the committer is a plain member of its team, in a channel where everyone may add others", async () => {
    const team = await newTeam();
    const group = await newTeamGroup(team);
    await setFields(group.id, { groupType: "channel", addPermission: "admins" });
    const [member, guest] = [await newMlsClient(await team.add()), await newMlsClient(await newUser())];
    await connectUsers(team.owner, guest.user);
    expect(await tryAdd(group.owner, member, guest)).toBe("201");
    await Promise.all([followTo(member, 2), followTo(guest, 2)]);
    const newcomer = await newMlsClient(await team.add(), { packages: 9 });
    expect(await tryAdd(member, newcomer)).toBe("403 action-denied");
    await setFields(group.id, { addPermission: "everyone" });
    expect(await tryAdd(guest, newcomer)).toBe("403 action-denied");
    expect(await tryAdd(member, newcomer)).toBe("201");
    await Promise.all([followTo(guest, 3), followTo(newcomer, 3)]);
  });

  it("but nobody whom legal hold keeps out", async () => {
    const team = await newTeam();
    const held = await team.add();
    const group = await newTeamGroup(team);
    const [objecting, mate] = [await newMlsClient(await newUser()), await newMlsClient(held)];
    await connectUsers(team.owner, objecting.user);
    expect(await tryAdd(group.owner, mate)).toBe("201");
    await setLegalHold(held, "enabled", { isSettled: false });
    expect(await tryAdd(group.owner, objecting)).toBe("403 missing-legalhold-consent");
  });
});

describe.concurrent("an external commit adds devices", () => {
  it("of users who have joined by a guest link, and of those added to a channel", async () => {
    const team = await newTeam();
    const group = await newTeamGroup(team);
    const guest = await newMlsClient(await newUser(), { packages: 0 });
    await join(guest, group);
    expect(outcome(await guest.send(await guest.prepareJoin(group.id)))).toBe("201");
    await followTo(group.owner, 2);

    await setFields(group.id, { groupType: "channel", addPermission: "admins" });
    const mate = await newMlsClient(await team.add(), { packages: 0 });
    const path = `/v9/conversations/${localDomain}/${group.id}/members`;
    const json = { qualified_users: qualified(mate.user) };
    const added = await api("POST", path, { token: team.owner.token, json });
    expect([outcome(added), added.body.data.add_type]).toEqual(["200", "external_add"]);
    expect(outcome(await mate.send(await mate.prepareJoin(group.id)))).toBe("201");
    await Promise.all([group.owner, guest].map((client) => followTo(client, 3)));
  });
});
