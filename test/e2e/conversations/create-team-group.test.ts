import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { conversationGroup } from "#shared/events/publisher.ts";
import { api } from "../../support/api.ts";
import { receiveFromCells } from "../../support/cells.ts";
import { connectUsers, localDomain } from "../../support/connections.ts";
import { conversationData, createConversation, qualified } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser, register } from "../../support/users.ts";

const refusal = (status: number, label: string) => ({ status, body: { code: status, label } });

describe.concurrent("POST /conversations with a team", () => {
  it("creates a group of members, who need not be connected, and lists it for the team", async () => {
    const team = await newTeam();
    const [member, mate] = await Promise.all([team.add(), team.add()]);
    const { status, body } = await createConversation(member, { in: team, with: [mate, team.owner] });
    expect({ status, team: body.team }).toEqual({ status: 201, team: team.id });
    const path = `/v9/teams/${team.id}/conversations/${body.id}`;
    expect(await api("GET", path, { token: team.owner.token })).toMatchObject({
      status: 200,
      body: { conversation: body.id, managed: false },
    });
    const [event] = await eventually(async () => {
      const events = await storedEvents(mate.token, "conversation.create");
      expect(events).toHaveLength(1);
      return events;
    });
    expect(event).toMatchObject({ team: team.id, data: { team: team.id } });
  });

  it("ignores `managed`", async () => {
    const team = await newTeam();
    const fields = { team: { teamid: team.id, managed: true } };
    expect(await createConversation(team.owner, fields)).toMatchObject({
      status: 201,
      body: { team: team.id },
    });
  });

  it("refuses strangers, even in a team that does not exist", async () => {
    const [team, other] = await Promise.all([newTeam(), newTeam()]);
    const mate = await team.add();
    const refused = refusal(403, "no-team-member");
    expect(await createConversation(other.owner, { in: team, with: [mate] })).toMatchObject(refused);
    expect(await createConversation(other.owner, { in: { id: randomUUID() } })).toMatchObject(refused);
    expect(await createConversation(await newUser(), { in: team })).toMatchObject(refused);
  });

  it("lets a partner create a group with one other user only, and without MLS", async () => {
    const team = await newTeam();
    const [partner, mate] = await Promise.all([team.add("partner"), team.add()]);
    const create = (fields: object) => createConversation(partner, { in: team, ...fields });
    expect(await create({ with: [mate] })).toMatchObject({ status: 201 });
    expect(await create({ with: [partner, mate] })).toMatchObject({ status: 201 });
    const refused = refusal(403, "operation-denied");
    expect(await create({ with: [mate, team.owner] })).toMatchObject(refused);
    expect(await create({ protocol: "mls" })).toMatchObject(refused);
    expect(await createConversation(team.owner, { in: team, protocol: "mls" })).toMatchObject({
      status: 201,
    });
  });

  it("accepts users from outside if they are connected and the access roles admit them", async () => {
    const team = await newTeam();
    const [guest, stranger] = await Promise.all([newUser(), newUser()]);
    await connectUsers(team.owner, guest);
    const create = (fields: object) => createConversation(team.owner, { in: team, ...fields });
    expect(await create({ with: [guest] })).toMatchObject({ status: 201 });
    expect(await create({ with: [guest], access_role: ["team_member"] })).toMatchObject(
      refusal(403, "no-team-member"),
    );
    expect(await create({ with: [stranger], access_role: ["team_member"] })).toMatchObject(
      refusal(403, "no-team-member"),
    );
    expect(await create({ with: [stranger] })).toMatchObject(refusal(403, "not-connected"));
    expect(await create({ with: [{ id: randomUUID() }] })).toMatchObject(refusal(403, "not-connected"));
    expect(await create({ access_role: [] })).toMatchObject(refusal(403, "access-denied"));
  });

  it("admits anonymous users only with the access role for guests", async () => {
    const team = await newTeam();
    const { body: anonymous } = await register({ email: undefined });
    const create = (access_role?: string[]) =>
      createConversation(team.owner, { in: team, with: [anonymous], access_role });
    expect(await create()).toMatchObject(refusal(403, "access-denied"));
    expect(await create(["team_member", "non_team_member", "guest"])).toMatchObject(
      refusal(403, "not-connected"),
    );
  });

  it("refuses to leave out the creator unless it is a channel", async () => {
    const team = await newTeam();
    expect(await createConversation(team.owner, { in: team, skip_creator: true })).toMatchObject(
      refusal(403, "operation-denied"),
    );
  });

  it("refuses a former member", async () => {
    const team = await newTeam();
    const member = await team.add();
    await api("DELETE", `/teams/${team.id}/members/${member.id}`, {
      token: team.owner.token,
      json: { password: team.owner.password },
    });
    expect(await createConversation(member, { in: team })).toMatchObject(refusal(403, "no-team-member"));
    expect(await createConversation(team.owner, { in: team, with: [member] })).toMatchObject(
      refusal(403, "not-connected"),
    );
  });
});

describe("POST /conversations in a stack with channels", () => {
  let stack: OwnStack;
  let team: Team;
  const channel = { protocol: "mls", group_conv_type: "channel" };

  const create = (user: { token: string }, fields: object = {}, ofTeam = team) =>
    createConversation(user, { in: ofTeam, ...channel, ...fields }, stack);

  beforeAll(async () => {
    const defaults = { status: "enabled", lockStatus: "unlocked" } as const;
    stack = await stackWith({ channels: { defaults } });
    team = await newTeam({}, stack);
  });

  /** Set who may create channels. */
  const allow = (ofTeam: Team, who: string, status = "enabled") =>
    stack.publicApi("PUT", `/v9/teams/${ofTeam.id}/features/channels`, {
      token: ofTeam.owner.token,
      json: {
        status,
        config: { allowed_to_create_channels: who, allowed_to_open_channels: "team-members" },
      },
    });

  it("creates a channel to which, by default, all members may add others", async () => {
    const member = await team.add();
    const { status, body } = await create(member, { name: "News" });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        type: 0,
        group_conv_type: "channel",
        add_permission: "everyone",
        receipt_mode: 0,
        epoch: 0,
        members: { self: { id: member.id, conversation_role: "svc_admin" }, others: [] },
      },
    });
    expect((await create(member, { add_permission: "admins" })).body.add_permission).toBe("admins");
    const inVersion7 = await create(member, { add_permission: "admins", version: 7 });
    expect(inVersion7.body.add_permission).toBe("everyone");
  });

  it("refuses a channel with Proteus, and without a team", async () => {
    expect(await create(team.owner, { protocol: "proteus" })).toMatchObject(
      refusal(403, "not-mls-conversation"),
    );
    expect(await createConversation(team.owner, channel, stack)).toMatchObject(
      refusal(403, "operation-denied"),
    );
  });

  it("follows the team's setting of who may create channels", async () => {
    const ofAdmins = await newTeam({}, stack);
    const [admin, member, partner] = await Promise.all([
      ofAdmins.add("admin"),
      ofAdmins.add(),
      ofAdmins.add("partner"),
    ]);
    const statuses = async () => {
      const made = await Promise.all([admin, member, partner].map((user) => create(user, {}, ofAdmins)));
      return made.map(({ status, body }) => (status === 201 ? status : body.label));
    };
    expect(await statuses()).toEqual([201, 201, "operation-denied"]);
    await allow(ofAdmins, "admins");
    expect(await statuses()).toEqual([201, "operation-denied", "operation-denied"]);
    await allow(ofAdmins, "everyone");
    expect(await statuses()).toEqual([201, 201, 201]);
    await allow(ofAdmins, "everyone", "disabled");
    expect(await statuses()).toEqual(Array(3).fill("channels-not-enabled"));
    const stranger = await newUser({}, stack);
    expect(await create(stranger, {}, ofAdmins)).toMatchObject(refusal(403, "no-team-member"));
  });

  it("lets admins of the team create a channel without joining it", async () => {
    const admin = await team.add("admin");
    const { status, body, headers } = await create(admin, { skip_creator: true, name: "Board" });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { creator: null, members: { others: [] } },
    });
    expect(body.members).not.toHaveProperty("self");
    expect(headers.get("location")).toBe(body.id);
    const { store } = conversationData(stack);
    expect(await store.getPopulated(body.id)).toMatchObject({
      conversation: { memberCount: 0 },
      members: [],
    });
    expect(await store.listOfUser(admin.id, { limit: 10 })).toEqual([]);
    expect(await create(await team.add(), { skip_creator: true })).toMatchObject(
      refusal(403, "operation-denied"),
    );
  });

  it("lets that admin add, rename and remove like any other admin", async () => {
    const [admin, member] = await Promise.all([team.add("admin"), team.add()]);
    const { body } = await create(admin, { skip_creator: true, name: "Board" });
    const path = `/v9/conversations/${localDomain}/${body.id}`;
    const { token } = admin;
    const json = { qualified_users: qualified(member) };
    expect(await stack.publicApi("POST", `${path}/members`, { token, json })).toMatchObject({
      status: 200,
      body: { data: { user_ids: [member.id], add_type: "external_add" } },
    });
    const name = { name: "Council" };
    expect(await stack.publicApi("PUT", `${path}/name`, { token, json: name })).toMatchObject({
      status: 200,
    });
    const membership = `${path}/members/${localDomain}/${member.id}`;
    expect(await stack.publicApi("DELETE", membership, { token })).toMatchObject({ status: 204 });
    const { store } = conversationData(stack);
    expect(await store.getPopulated(body.id)).toMatchObject({ conversation: name, members: [] });
  });

  it("tells Cells of a new group only by its id", async () => {
    const { body } = await createConversation(team.owner, { in: team, cells: true, name: "Files" }, stack);
    expect(body.cells_state).toBe("pending");
    const messages = await receiveFromCells(stack, { group: conversationGroup(body.id), count: 1 });
    expect(messages.map(({ payload }) => payload)).toEqual([
      [
        {
          type: "conversation.create",
          qualified_conversation: body.qualified_id,
          qualified_from: { domain: body.qualified_id.domain, id: team.owner.id },
          time: expect.any(String),
        },
      ],
    ]);
  });
});

describe("POST /conversations in a stack without MLS", () => {
  it("refuses MLS after checking rights, and refuses channels by default", async () => {
    const stack = await stackWith({ setEnableMLS: false });
    const team = await newTeam({}, stack);
    const partner = await team.add("partner");
    const create = (user: { token: string }, fields: object = {}) =>
      createConversation(user, { in: team, protocol: "mls", ...fields }, stack);
    expect(await create(team.owner)).toMatchObject(refusal(400, "mls-not-enabled"));
    expect(await create(partner)).toMatchObject(refusal(403, "operation-denied"));
    expect(await create(team.owner, { group_conv_type: "channel" })).toMatchObject(
      refusal(403, "channels-not-enabled"),
    );
  });
});
