import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { connectUsers, localDomain } from "../../support/connections.ts";
import { createConversation } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { setLegalHold } from "../../support/legal-hold-status.ts";
import { type MlsClient, newMlsClient, removal } from "../../support/mls.ts";
import {
  followTo,
  type MlsGroup,
  newMlsGroup,
  newMlsGroupOf,
  newPeople,
  proposalsReach,
} from "../../support/mls-groups.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser } from "../../support/users.ts";

const counts = (answers: readonly Parameters<typeof outcome>[0][]) =>
  Object.fromEntries(
    [...Map.groupBy(answers.map(outcome), (one) => one)].map(([name, { length }]) => [name, length]),
  );

describe.concurrent("concurrent commits", () => {
  it("begin one epoch that all devices share, again and again", async () => {
    const [ada, bob, cleo, dora] = await newPeople(4);
    const clients = [ada, bob, cleo, dora];
    await newMlsGroupOf(ada, bob, cleo, dora);
    for (let epoch = 1; epoch <= 10; epoch++) {
      const prepared = await Promise.all(clients.map((client) => client.prepare()));
      const answers = await Promise.all(
        clients.map((client, index) => client.send(prepared[index] as (typeof prepared)[number])),
      );
      expect(counts(answers)).toEqual({ 201: 1, "409 mls-stale-message": 3 });
      await Promise.all(clients.map((client) => followTo(client, epoch + 1)));
      expect(new Set(clients.map(tagOf)).size).toBe(1);
    }
  });

  it("let one of two devices win when both join by themselves", async () => {
    const [ada, bob] = await newPeople(2);
    const { id } = await newMlsGroupOf(ada, bob);
    const tablets = await Promise.all([ada, bob].map(({ user }) => newMlsClient(user, { packages: 0 })));
    const prepared = await Promise.all(tablets.map((tablet) => tablet.prepareJoin(id)));
    const answers = await Promise.all(
      tablets.map((tablet, index) => tablet.send(prepared[index] as (typeof prepared)[number])),
    );
    expect(counts(answers)).toEqual({ 201: 1, "409 mls-stale-message": 1 });
    await Promise.all([followTo(ada, 2), followTo(bob, 2)]);
  });

  it("either contain a proposal or come before it", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    await newMlsGroupOf(ada, bob, cleo);
    for (let round = 0; round < 5; round++) {
      const commit = await ada.prepare();
      const proposal = await bob.propose(removal(cleo.leafIndex));
      const [committed, proposed] = await Promise.all([
        ada.send(commit),
        bob.post("/v9/mls/messages", proposal),
      ]);
      expect(["201/409 mls-stale-message", "400 mls-commit-missing-references/201"]).toContain(
        `${outcome(committed)}/${outcome(proposed)}`,
      );
      if (committed.status === 201) {
        await Promise.all([followTo(bob, ada.epoch), followTo(cleo, ada.epoch)]);
        continue;
      }
      await proposalsReach(ada, 1);
      await ada.mustCommit();
      return;
    }
  });

  it("succeed during other changes of the conversation, but not during its deletion", async () => {
    const team = await newTeam();
    const mate = await team.add();
    const [owner, member] = await Promise.all([newMlsClient(team.owner), newMlsClient(mate)]);
    const { body } = await createConversation(team.owner, { in: team, protocol: "mls" });
    await owner.create(body.group_id);
    await owner.add(mate);
    await followTo(member, 1);
    const { token } = team.owner;
    const path = `/v9/conversations/${localDomain}/${body.id}`;
    const [renamed, committed] = await Promise.all([
      api("PUT", `${path}/name`, { token, json: { name: "new" } }),
      member.commit(),
    ]);
    expect([renamed.status, committed.status]).toEqual([200, 201]);
    const [deleted, late] = await Promise.all([
      api("DELETE", `/v9/teams/${team.id}/conversations/${body.id}`, { token }),
      member.commit(),
    ]);
    expect(deleted.status).toBe(200);
    expect(["201", "404 no-conversation"]).toContain(outcome(late));
    expect(outcome(await member.commit())).toBe("404 no-conversation");
  });
});

describe.concurrent("concurrently with a commit,", () => {
  /** Commits succeed, or miss a proposal of the service that was faster. */
  const fineOutcomes = ["201", "400 mls-commit-missing-references"];

  it("a member leaves, and all others follow and remove the member's devices", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    const group = await newMlsGroupOf(ada, bob, cleo);
    const commit = await ada.prepare();
    const [left, committed] = await Promise.all([leave(cleo, group), ada.send(commit)]);
    expect(left.status).toBe(200);
    expect(fineOutcomes).toContain(outcome(committed));
    await removeProposed(ada, bob);
    expect(outcome(await cleo.commit())).toBe("404 no-conversation");
    expect(await othersIn(ada, group)).toEqual([bob.user.id]);
  });

  it("a member whom it removes leaves, and is gone, whoever is first", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    const group = await newMlsGroupOf(ada, bob, cleo);
    const commit = await ada.prepare(removal(cleo.leafIndex));
    const [left, committed] = await Promise.all([leave(cleo, group), ada.send(commit)]);
    // Leaving a conversation that one is no longer in changes nothing.
    expect(["200", "204", "404 no-conversation"]).toContain(outcome(left));
    expect(fineOutcomes).toContain(outcome(committed));
    if (committed.status === 201) await followTo(bob, 2);
    else await removeProposed(ada, bob);
    expect(devicesIn(bob)).toBe(2);
    expect(await othersIn(ada, group)).toEqual([bob.user.id]);
    expect(outcome(await bob.commit())).toBe("201");
    await followTo(ada, bob.epoch);
  });

  it("a device is deleted, by others or by itself, and the group loses it", async () => {
    const [ada, bob] = await newPeople(2);
    const phones = [
      await newMlsClient(bob.user, { packages: 2 }),
      await newMlsClient(bob.user, { packages: 2 }),
    ] as const;
    await newMlsGroupOf(ada, bob, ...phones);
    const [byOther, byItself] = [await ada.prepare(), await phones[1].prepare()];
    const [first, deleted] = await Promise.all([ada.send(byOther), deleteDevice(phones[0])]);
    expect(deleted.status).toBe(200);
    expect(fineOutcomes).toContain(outcome(first));
    await removeProposed(ada, bob, phones[1]);
    const own = first.status === 201 ? await phones[1].prepare() : byItself;
    const [second, alsoDeleted] = await Promise.all([phones[1].send(own), deleteDevice(phones[1])]);
    expect(alsoDeleted.status).toBe(200);
    expect([...fineOutcomes, "403 mls-identity-mismatch", "409 mls-stale-message"]).toContain(
      outcome(second),
    );
    await removeProposed(bob, ada);
    expect([devicesIn(ada), devicesIn(bob)]).toEqual([2, 2]);
  });

  it("the access changes, and everybody who is no longer admitted is removed", async () => {
    const team = await newTeam();
    const mate = await team.add();
    const guest = await newUser();
    await connectUsers(team.owner, guest);
    const [owner, member, stranger] = (await Promise.all(
      [team.owner, mate, guest].map((user) => newMlsClient(user)),
    )) as [MlsClient, MlsClient, MlsClient];
    const group = await newMlsGroup(owner, { team: { teamid: team.id } });
    await owner.add(mate);
    await followTo(member, 1);
    const additions = await owner.additionsOf(guest);
    const commit = await owner.prepare(...additions);
    const json = { access: ["invite"], access_role: ["team_member"] };
    const path = `/v9/conversations/${localDomain}/${group.id}/access`;
    const [changed, committed] = await Promise.all([
      api("PUT", path, { token: team.owner.token, json }),
      owner.send(commit),
    ]);
    expect(changed.status).toBe(200);
    expect(["201", "403 no-team-member"]).toContain(outcome(committed));
    if (committed.status === 201) {
      await followTo(member, 2);
      await removeProposed(owner, member);
    }
    expect(await othersIn(owner, group)).toEqual([mate.id]);
    expect(devicesIn(owner)).toBe(2);
    expect((await stranger.groupInfo(group.id)).status).toBe(404);
  });

  it("legal hold is approved, and the users whom it separates do not stay together", async () => {
    const team = await newTeam();
    const [held, mate] = await Promise.all([team.add(), team.add()]);
    await setLegalHold(team.owner, "disabled");
    const [owner, member] = await Promise.all([
      newMlsClient(team.owner),
      newMlsClient(held),
      newMlsClient(mate),
    ]);
    const group = await newMlsGroup(owner, { team: { teamid: team.id } });
    await owner.add(held);
    await followTo(member, 1);
    await setLegalHold(held, "pending");
    const commit = await owner.prepare(...(await owner.additionsOf(mate)));
    const [, committed] = await Promise.all([setLegalHold(held, "enabled"), owner.send(commit)]);
    expect(["201", "403 missing-legalhold-consent"]).toContain(outcome(committed));
    if (committed.status === 201) {
      await followTo(member, 2);
      await removeProposed(owner, member);
    }
    await eventually(async () => expect(await othersIn(owner, group)).toEqual([held.id]));
    expect(devicesIn(owner)).toBe(2);
  });
});

const leave = ({ user }: MlsClient, { id }: MlsGroup) => {
  const path = `/v9/conversations/${localDomain}/${id}/members/${localDomain}/${user.id}`;
  return api("DELETE", path, { token: user.token });
};

const deleteDevice = ({ user, clientId }: MlsClient) =>
  api("DELETE", `/v9/clients/${clientId}`, { token: user.token, json: { password: user.password } });

const othersIn = async ({ user: { token } }: MlsClient, { id }: MlsGroup): Promise<string[]> => {
  const { body } = await api("GET", `/v9/conversations/${localDomain}/${id}`, { token });
  return body.members.others.map((other: { id: string }) => other.id);
};

/** Devices in the group, as one of them knows it. */
const devicesIn = ({ state }: MlsClient) =>
  state.ratchetTree.filter((node) => node?.nodeType === "leaf").length;

/** Commit what the service proposes, which the other devices follow. */
async function removeProposed(committer: MlsClient, ...others: MlsClient[]): Promise<void> {
  await proposalsReach(committer, 1);
  await Promise.all(others.map((other) => followTo(other, committer.epoch)));
  await Promise.all(others.map((other) => proposalsReach(other, 1)));
  await committer.mustCommit();
  await Promise.all(others.map((other) => followTo(other, committer.epoch)));
}

/** What devices in the same state of a group have in common. */
const tagOf = ({ state }: MlsClient) => Buffer.from(state.confirmationTag).toString("hex");
