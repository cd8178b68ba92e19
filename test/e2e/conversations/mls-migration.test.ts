import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { createConversation } from "../../support/conversations.ts";
import { newSigner } from "../../support/key-packages.ts";
import { setLegalHold } from "../../support/legal-hold-status.ts";
import { addition, newMlsClient, removal } from "../../support/mls.ts";
import { followTo, newMlsGroup, proposalsReach, readUntil } from "../../support/mls-groups.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

const setProtocol = async ({ token }: Pick<User, "token">, id: string, protocol: string) =>
  outcome(await api("PUT", `/v9/conversations/${localDomain}/${id}/protocol`, { token, json: { protocol } }));

/** Let a team migrate to MLS. */
async function allowMigration({ id }: Team): Promise<void> {
  for (const name of ["mls", "mlsMigration"]) {
    const json = {
      status: "enabled",
      lockStatus: "unlocked",
      ...(name === "mlsMigration" && { config: {} }),
    };
    expect((await internalApi("PATCH", `/i/teams/${id}/features/${name}`, { json })).status).toBe(200);
  }
}

const withMls = { supported_protocols: ["proteus" as const, "mls" as const] };

describe.concurrent("a group that migrates to MLS", () => {
  it("adds devices one after the other, and has no others in the end", async () => {
    const team = await newTeam({ owner: withMls });
    await allowMigration(team);
    const [bob, cleo] = await Promise.all([team.add("member", withMls), team.add("member", withMls)]);
    const [ada, phone, tablet, former] = await Promise.all([
      newMlsClient(team.owner),
      newMlsClient(bob, { packages: 2 }),
      newMlsClient(bob, { packages: 2 }),
      newMlsClient(cleo),
    ]);
    const { body } = await createConversation(team.owner, { with: [bob, cleo], in: team });
    const { id } = body;
    expect(await setProtocol(team.owner, id, "mixed")).toBe("200");
    const mixed = await api("GET", `/v9/conversations/${localDomain}/${id}`, { token: team.owner.token });
    await ada.create(mixed.body.group_id);
    const additions = await ada.additionsOf(bob, cleo);
    expect(additions).toHaveLength(3);
    for (const one of additions) expect((await ada.mustCommit(one)).body.events).toEqual([]);
    await Promise.all([phone, tablet, former].map((client) => followTo(client, 3)));
    expect(outcome(await ada.write("too early"))).toBe("422 mls-unsupported-message");
    await ada.mustCommit(removal(tablet.leafIndex));
    await Promise.all([phone, former].map((client) => followTo(client, 4)));

    const path = `/v9/conversations/${localDomain}/${id}/members/${localDomain}/${cleo.id}`;
    expect((await api("DELETE", path, { token: team.owner.token })).status).toBe(200);
    await proposalsReach(ada, 1);
    expect(await setProtocol(team.owner, id, "mls")).toBe("200");
    expect((await ada.mustCommit()).body.events).toEqual([]);
    await followTo(phone, 5);
    await ada.write("at last");
    await readUntil(phone, ["at last"]);
  });

  it("adds devices of its members only, so that nobody else gets a welcome", async () => {
    const team = await newTeam({ owner: withMls });
    await allowMigration(team);
    const bob = await team.add("member", withMls);
    const [ada, phone, stranger, mate] = await Promise.all([
      newMlsClient(team.owner),
      newMlsClient(bob, { packages: 2 }),
      newMlsClient(await newUser()),
      newMlsClient(await team.add("member", withMls)),
    ]);
    const { id } = (await createConversation(team.owner, { with: [bob], in: team })).body;
    expect(await setProtocol(team.owner, id, "mixed")).toBe("200");
    const { body } = await api("GET", `/v9/conversations/${localDomain}/${id}`, { token: team.owner.token });
    await ada.create(body.group_id);
    await ada.add(bob);
    const outsiders = await Promise.all([stranger, mate].map((client) => client.makePackage()));
    for (const { publicPackage } of outsiders) {
      const added = addition(publicPackage);
      expect(outcome(await ada.commit(added))).toBe("409 mls-client-mismatch");
      const state = ada.state;
      const proposal = await ada.propose(added);
      expect(outcome(await ada.post("/v9/mls/messages", proposal))).toBe("400 mls-protocol-error");
      ada.state = state;
    }
    const [again] = await ada.additionsOf(bob);
    const path = `/v9/conversations/${localDomain}/${id}/members/${localDomain}/${bob.id}`;
    expect((await api("DELETE", path, { token: team.owner.token })).status).toBe(200);
    await proposalsReach(ada, 1);
    await ada.mustCommit();
    expect(outcome(await ada.commit(again as never))).toBe("409 mls-client-mismatch");
    for (const client of [stranger, mate])
      expect(await client.eventsOf(id)).not.toContain("conversation.mls-welcome");
    expect((await phone.eventsOf(id)).filter((type) => type === "conversation.mls-welcome")).toHaveLength(1);
  });

  it("keeps no proposal to add a device under another key, before and after its migration", async () => {
    const team = await newTeam({ owner: withMls });
    await allowMigration(team);
    const bob = await team.add("member", withMls);
    const [ada, phone] = await Promise.all([newMlsClient(team.owner), newMlsClient(bob)]);
    const { id } = (await createConversation(team.owner, { with: [bob], in: team })).body;
    expect(await setProtocol(team.owner, id, "mixed")).toBe("200");
    const { body } = await api("GET", `/v9/conversations/${localDomain}/${id}`, { token: team.owner.token });
    await ada.create(body.group_id);
    await ada.mustCommit();
    const forged = await phone.makePackage(undefined, newSigner("ed25519"));
    const proposeForged = async () => {
      const { state } = ada;
      const answer = await ada.post("/v9/mls/messages", await ada.propose(addition(forged.publicPackage)));
      ada.state = state;
      return outcome(answer);
    };
    expect(await proposeForged()).toBe("403 mls-identity-mismatch");
    expect(await setProtocol(team.owner, id, "mls")).toBe("200");
    expect(await proposeForged()).toBe("403 mls-identity-mismatch");
    expect(outcome(await ada.commit())).toBe("201");
    await ada.add(bob);
    await followTo(phone, 3);
  });
});

describe.concurrent("a user under legal hold", () => {
  it.each(["pending", "enabled"] as const)("who is %s cannot begin a group", async (status) => {
    const team = await newTeam();
    const owner = await newMlsClient(team.owner);
    await newMlsGroup(owner, { team: { teamid: team.id } });
    await setLegalHold(team.owner, status, { isSettled: false });
    expect(outcome(await owner.commit())).toBe("409 mls-legal-hold-not-allowed");
    await setLegalHold(team.owner, "disabled", { isSettled: false });
    expect(outcome(await owner.commit())).toBe("201");
  });

  it("stays in a group that exists", async () => {
    const team = await newTeam();
    const owner = await newMlsClient(team.owner);
    await newMlsGroup(owner, { team: { teamid: team.id } });
    await owner.mustCommit();
    await setLegalHold(team.owner, "pending", { isSettled: false });
    expect(outcome(await owner.commit())).toBe("201");
  });
});
