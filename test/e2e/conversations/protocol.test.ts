import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { conversationData, newConversation } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

const { store } = conversationData();

const setProtocol = ({ token }: Pick<User, "token">, cid: string, protocol: unknown, domain = localDomain) =>
  api("PUT", `/v5/conversations/${domain}/${cid}/protocol`, { token, json: { protocol } });

/** Let a team migrate to MLS. */
async function startMigration({ id }: Team, config: object = {}): Promise<void> {
  for (const [name, fields] of Object.entries({ mls: {}, mlsMigration: { config } })) {
    const json = { status: "enabled", lockStatus: "unlocked", ...fields };
    const { status, body } = await internalApi("PATCH", `/i/teams/${id}/features/${name}`, { json });
    if (status !== 200) throw new Error(`The feature was answered ${status} ${JSON.stringify(body)}`);
  }
}

const mlsUser = { supported_protocols: ["proteus" as const, "mls" as const] };

/** Create a mixed conversation of an owner and a member who has MLS or not. */
async function newMixed(options: { hasMls: boolean }) {
  const team = await newTeam({ owner: mlsUser });
  const member = await team.add("member", options.hasMls ? mlsUser : { supported_protocols: ["proteus"] });
  const { id } = await newConversation([team.owner, member], {
    team,
    protocol: "mixed",
    receiptMode: 1,
    group: { groupId: "AAEAAA==", epoch: 0 },
  });
  return { team, member, id };
}

describe.concurrent("PUT /conversations/{domain}/{cid}/protocol", () => {
  it("changes Proteus to mixed and mixed to MLS, for any member of a team's group", async () => {
    const team = await newTeam({ owner: mlsUser });
    const member = await team.add("member", mlsUser);
    await startMigration(team);
    const roles = { [member.id]: "member" } as const;
    const { id } = await newConversation([team.owner, member], { team, roles, receiptMode: 1 });
    const mixed = await setProtocol(member, id, "mixed");
    expect(mixed).toMatchObject({
      status: 200,
      body: {
        type: "conversation.protocol-update",
        from: member.id,
        team: team.id,
        data: { protocol: "mixed" },
      },
    });
    expect(await store.get(id)).toMatchObject({
      protocol: "mixed",
      receiptMode: 1,
      group: { groupId: expect.stringMatching(/^[\w+/]+=*$/), epoch: 0 },
    });
    expect((await setProtocol(team.owner, id, "mixed")).status).toBe(204);
    const mls = await setProtocol(member, id, "mls");
    expect(mls).toMatchObject({ status: 200, body: { data: { protocol: "mls" } } });
    expect(await store.get(id)).toMatchObject({ protocol: "mls", receiptMode: 0, group: { epoch: 0 } });
    await eventually(async () =>
      expect(await storedEvents(team.owner.token, "conversation.protocol-update")).toEqual([
        mixed.body,
        mls.body,
      ]),
    );
  });

  it("is refused to guests of the team unless they are admins of the group", async () => {
    const [team, guest] = [await newTeam(), await newUser()];
    const roles = { [guest.id]: "member" } as const;
    const { id } = await newConversation([team.owner, guest], { team, roles });
    expect(outcome(await setProtocol(guest, id, "mixed"))).toBe("403 action-denied");
    expect((await setProtocol(guest, id, "proteus")).status).toBe(204);
    const { id: administered } = await newConversation([team.owner, guest], { team });
    expect((await setProtocol(guest, administered, "mixed")).status).toBe(200);
  });

  it.each([
    ["proteus", "mls"],
    ["mixed", "proteus"],
    ["mls", "mixed"],
    ["mls", "proteus"],
  ] as const)("refuses the change from %s to %s", async (protocol, next) => {
    const team = await newTeam();
    const { id } = await newConversation([team.owner], { team, protocol });
    expect(outcome(await setProtocol(team.owner, id, next))).toBe("403 invalid-protocol-transition");
  });

  it("refuses every change without a team", async () => {
    const user = await newUser();
    const { id } = await newConversation([user]);
    expect(outcome(await setProtocol(user, id, "mixed"))).toBe("403 invalid-protocol-transition");
    expect((await setProtocol(user, id, "proteus")).status).toBe(204);
  });

  it("ends the migration only when all members support MLS", async () => {
    const { team, member, id } = await newMixed({ hasMls: false });
    await startMigration(team);
    expect(outcome(await setProtocol(team.owner, id, "mls"))).toBe(
      "400 mls-migration-criteria-not-satisfied",
    );
    const { token } = member;
    await api("PUT", "/self/supported-protocols", { token, json: mlsUser });
    expect((await setProtocol(team.owner, id, "mls")).status).toBe(200);
  });

  it("ends the migration regardless of the members after its last day", async () => {
    const [due, early] = await Promise.all([newMixed({ hasMls: false }), newMixed({ hasMls: false })]);
    await startMigration(due.team, { finaliseRegardlessAfter: "2020-01-01T00:00:00Z" });
    expect((await setProtocol(due.member, due.id, "mls")).status).toBe(200);
    await startMigration(early.team, { finaliseRegardlessAfter: "2120-01-01T00:00:00Z" });
    expect(outcome(await setProtocol(early.member, early.id, "mls"))).toBe(
      "400 mls-migration-criteria-not-satisfied",
    );
  });

  it("ends the migration only if the team has the feature", async () => {
    const { team, id } = await newMixed({ hasMls: true });
    expect(outcome(await setProtocol(team.owner, id, "mls"))).toBe(
      "400 mls-migration-criteria-not-satisfied",
    );
  });

  it("is changed once by two concurrent requests", async () => {
    const team = await newTeam();
    const { id } = await newConversation([team.owner], { team });
    const answers = await Promise.all(["mixed", "mixed"].map((next) => setProtocol(team.owner, id, next)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 204]);
  });

  it("is refused to strangers, in one-to-one conversations, and for malformed values", async () => {
    const team = await newTeam();
    const [mate, stranger] = await Promise.all([team.add(), newUser()]);
    const { id } = await newConversation([team.owner], { team });
    for (const user of [mate, stranger])
      expect(outcome(await setProtocol(user, id, "mixed"))).toBe("404 no-conversation");
    expect(outcome(await setProtocol(team.owner, randomUUID(), "mixed"))).toBe("404 no-conversation");
    const pair = await newConversation([team.owner, mate], { team, type: "one-to-one" });
    expect(outcome(await setProtocol(team.owner, pair.id, "mixed"))).toBe("403 invalid-op");
    for (const protocol of ["MLS", 1])
      expect(outcome(await setProtocol(team.owner, id, protocol))).toBe("400 bad-request");
    expect(outcome(await setProtocol(team.owner, id, "mixed", "elsewhere.example"))).toBe(
      "422 federation-not-implemented",
    );
    const path = `/v4/conversations/${localDomain}/${id}/protocol`;
    const { token } = team.owner;
    expect((await api("PUT", path, { token, json: { protocol: "mixed" } })).status).toBe(404);
  });
});
