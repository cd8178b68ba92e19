import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { createConversation } from "../../support/conversations.ts";
import { type MlsClient, newMlsClient, removal } from "../../support/mls.ts";
import { followTo, newMlsGroupOf, newPeople, proposalsReach } from "../../support/mls-groups.ts";
import { newTeam } from "../../support/teams.ts";

const counts = (answers: readonly Parameters<typeof outcome>[0][]) =>
  Object.fromEntries(
    [...Map.groupBy(answers.map(outcome), (one) => one)].map(([name, { length }]) => [name, length]),
  );

describe.concurrent("commits at the same time", () => {
  it("begin one epoch, which all devices then share, again and again", async () => {
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

  it("leave one winner when two devices join by themselves", async () => {
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

  it("survive changes of the conversation, and neither survives its deletion", async () => {
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

/** What devices in the same state of a group have in common. */
const tagOf = ({ state }: MlsClient) => Buffer.from(state.confirmationTag).toString("hex");
