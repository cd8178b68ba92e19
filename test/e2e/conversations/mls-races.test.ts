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
import { counted, each, either, only, race } from "../../support/races.ts";
import { times } from "../../support/soak.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser } from "../../support/users.ts";

/** Three people with a device each, in one group. */
async function newTrio() {
  const [ada, bob, cleo] = await newPeople(3);
  const group = await newMlsGroupOf(ada, bob, cleo);
  return { ada, bob, cleo, group };
}

describe.concurrent("concurrent commits", () => {
  it("begin one epoch that all devices share, again and again", {
    timeout: times(120_000, 480_000),
  }, async () => {
    const { ada, bob, cleo } = await newTrio();
    const clients = [ada, bob, cleo];
    for (let epoch = 1; epoch <= times(2, 10); epoch++) {
      const prepared = await Promise.all(
        clients.map(async (client) => [client, await client.prepare()] as const),
      );
      const answers = await Promise.all(prepared.map(([client, commit]) => client.send(commit)));
      expect(counted(answers)).toEqual({ 201: 1, "409 mls-stale-message": 2 });
      await Promise.all(clients.map((client) => followTo(client, epoch + 1)));
      expect(new Set(clients.map(tagOf)).size).toBe(1);
    }
  });

  race("let one of two devices win when both join by themselves", {
    given: async () => {
      const [ada, bob] = await newPeople(2);
      const { id } = await newMlsGroupOf(ada, bob);
      const joining = [ada, bob].map(async ({ user }) => {
        const tablet = await newMlsClient(user, { packages: 0 });
        const commit = await tablet.prepareJoin(id);
        return () => tablet.send(commit);
      });
      return { ada, bob, joining: await Promise.all(joining) };
    },
    exactly: 2,
    act: ({ joining }, index) => (joining[index] as (typeof joining)[number])(),
    outcomes: only("201", "409 mls-stale-message"),
    holds: ({ ada, bob }) => Promise.all([followTo(ada, 2), followTo(bob, 2)]),
  });

  race("let one begin the epoch when a member commits while a device joins by itself", {
    given: async () => {
      const trio = await newTrio();
      const tablet = await newMlsClient(trio.bob.user, { packages: 0 });
      const joining = await tablet.prepareJoin(trio.group.id);
      return { ...trio, tablet, commit: await trio.ada.prepare(), joining };
    },
    act: [({ ada, commit }) => ada.send(commit), ({ tablet, joining }) => tablet.send(joining)],
    outcomes: only("201", "409 mls-stale-message"),
    holds: ({ ada, bob, cleo }) => Promise.all([ada, bob, cleo].map((client) => followTo(client, 2))),
  });

  race("either contain a proposal or come before it", {
    given: async () => {
      const trio = await newTrio();
      const commit = await trio.ada.prepare();
      return { ...trio, commit, proposal: await trio.bob.propose(removal(trio.cleo.leafIndex)) };
    },
    act: [
      ({ ada, commit }) => ada.send(commit),
      ({ bob, proposal }) => bob.post("/v9/mls/messages", proposal),
    ],
    outcomes: either("201, 409 mls-stale-message", "400 mls-commit-missing-references, 201"),
    holds: async ({ ada, bob, cleo }, [committed]) => {
      if (committed?.status === 201) await Promise.all([followTo(bob, 2), followTo(cleo, 2)]);
      else {
        await proposalsReach(ada, 1);
        await ada.mustCommit();
      }
    },
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
  const fine = ["201", "400 mls-commit-missing-references"];

  race("a member leaves, and all others follow and remove the member's devices", {
    given: async () => {
      const trio = await newTrio();
      return { ...trio, commit: await trio.ada.prepare() };
    },
    act: [({ cleo, group }) => leave(cleo, group), ({ ada, commit }) => ada.send(commit)],
    outcomes: either(...fine.map((one) => `200, ${one}`)),
    holds: async ({ ada, bob, cleo, group }) => {
      await removeProposed(ada, bob);
      expect(outcome(await cleo.commit())).toBe("404 no-conversation");
      expect(await othersIn(ada, group)).toEqual([bob.user.id]);
    },
  });

  race("a member whom it removes leaves, and is gone, whoever is first", {
    given: async () => {
      const trio = await newTrio();
      return { ...trio, commit: await trio.ada.prepare(removal(trio.cleo.leafIndex)) };
    },
    act: [({ cleo, group }) => leave(cleo, group), ({ ada, commit }) => ada.send(commit)],
    // Leaving a conversation that one is no longer in changes nothing.
    outcomes: each("200", "204", "404 no-conversation", ...fine),
    holds: async ({ ada, bob, group }, [, committed]) => {
      if (committed?.status === 201) await followTo(bob, 2);
      else await removeProposed(ada, bob);
      expect(devicesIn(bob)).toBe(2);
      expect(await othersIn(ada, group)).toEqual([bob.user.id]);
      expect(outcome(await bob.commit())).toBe("201");
      await followTo(ada, bob.epoch);
    },
  });

  for (const committer of ["ada", "phone"] as const) {
    const whose = committer === "ada" ? "another device" : "the device that commits";
    const refusals = committer === "ada" ? [] : ["403 mls-identity-mismatch", "409 mls-stale-message"];
    race(`${whose} is deleted, and the group loses it`, {
      given: async () => {
        const [ada, bob] = await newPeople(2);
        const phone = await newMlsClient(bob.user, { packages: 2 });
        await newMlsGroupOf(ada, bob, phone);
        const devices = { ada, bob, phone };
        return { ...devices, commit: await devices[committer].prepare() };
      },
      act: [({ phone }) => deleteDevice(phone), ({ commit, ...devices }) => devices[committer].send(commit)],
      outcomes: either(...[...fine, ...refusals].map((one) => `200, ${one}`)),
      holds: async ({ ada, bob }) => {
        await removeProposed(bob, ada);
        expect([devicesIn(ada), devicesIn(bob)]).toEqual([2, 2]);
      },
    });
  }

  race("the access changes, and everybody who is no longer admitted is removed", {
    given: async () => {
      const team = await newTeam();
      const [mate, guest] = await Promise.all([team.add(), newUser()]);
      await connectUsers(team.owner, guest);
      const devices = await Promise.all([team.owner, mate, guest].map((user) => newMlsClient(user)));
      const [owner, member, stranger] = devices as [MlsClient, MlsClient, MlsClient];
      const group = await newMlsGroup(owner, { team: { teamid: team.id } });
      await owner.add(mate);
      await followTo(member, 1);
      const commit = await owner.prepare(...(await owner.additionsOf(guest)));
      return { owner, member, stranger, group, commit };
    },
    act: [
      ({ owner, group }) => {
        const json = { access: ["invite"], access_role: ["team_member"] };
        const path = `/v9/conversations/${localDomain}/${group.id}/access`;
        return api("PUT", path, { token: owner.token, json });
      },
      ({ owner, commit }) => owner.send(commit),
    ],
    outcomes: either("200, 201", "200, 403 no-team-member"),
    holds: async ({ owner, member, stranger, group }, [, committed]) => {
      if (committed?.status === 201) {
        await followTo(member, 2);
        await removeProposed(owner, member);
      }
      expect(await othersIn(owner, group)).toEqual([member.user.id]);
      expect(devicesIn(owner)).toBe(2);
      expect((await stranger.groupInfo(group.id)).status).toBe(404);
    },
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

/** The part of a group's state that devices in the same state share. */
const tagOf = ({ state }: MlsClient) => Buffer.from(state.confirmationTag).toString("hex");
