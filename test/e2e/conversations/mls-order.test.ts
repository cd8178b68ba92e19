import type { Proposal } from "ts-mls";
import { describe, expect, it } from "vitest";
import { verifiedUnknown } from "#functions/conversations/conversations/mls/member-commit.ts";
import { api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { type AlterableCommit, addition, type MlsClient, newMlsClient, removal } from "../../support/mls.ts";
import { followTo, newMlsGroupOf, newPeople } from "../../support/mls-groups.ts";
import { newUser } from "../../support/users.ts";

const unknownReference = { proposalOrRefType: "reference" as const, reference: new Uint8Array(32) };
const inline = (proposal: Proposal) => ({ proposalOrRefType: "proposal" as const, proposal });
const blank = inline(removal(77));

/** Ada's phone and tablet, and Bob's two devices, in one group, to which Bob has sent a proposal that Ada ignores. */
async function newCrowd() {
  const [ada, bob, cleo] = await newPeople(3);
  const laptop = await newMlsClient(bob.user);
  const { id } = await newMlsGroupOf(ada, bob);
  const tablet = await newMlsClient(ada.user);
  const own = (await ada.additionsOf(ada.user)).slice(-1);
  await ada.mustCommit(...own);
  await Promise.all([followTo(bob, 2), followTo(tablet, 2), followTo(laptop, 2)]);
  const stranger = await newMlsClient(await newUser(), { packages: 5 });
  return { id, ada, bob, cleo, laptop, tablet, stranger };
}

/** The outcome of a device's commit after some changes, with a group info of some suite. */
async function tryAltered(
  client: MlsClient,
  change: (message: AlterableCommit) => void,
  { proposals = [], suite = 1 }: { proposals?: Proposal[]; suite?: number } = {},
): Promise<string> {
  const prepared = await client.alter(await client.prepare(...proposals), change);
  const groupInfo = Buffer.from(prepared.groupInfo);
  groupInfo.writeUInt16BE(suite, 6);
  return outcome(await client.send({ ...prepared, groupInfo }));
}

const isStale = (message: AlterableCommit) => {
  message.epoch += 5n;
};
const fromLeaf = (leafIndex: number) => (message: AlterableCommit) => {
  message.sender = { senderType: "member", leafIndex };
};
const first =
  (...proposals: AlterableCommit["commit"]["proposals"]) =>
  ({ commit }: AlterableCommit) =>
    commit.proposals.unshift(...proposals);
const withBrokenPath = ({ commit }: AlterableCommit) => {
  if (commit.path === undefined) throw new Error("No update path");
  commit.path.leafNode.signature = new Uint8Array(64);
};
const all =
  (...changes: readonly ((message: AlterableCommit) => void)[]) =>
  (message: AlterableCommit) => {
    for (const change of changes) change(message);
  };

describe.concurrent("of several faults in a member's commit, the first in this order is reported:", () => {
  it("suite, epoch, sender, proposals in their order, omitted proposals, update path", async () => {
    const { ada, bob, cleo } = await newCrowd();
    const [proposal] = await ada.additionsOf(cleo.user);
    const pending = await bob.propose(proposal as Proposal);
    expect(outcome(await bob.post("/v9/mls/messages", pending))).toBe("201");
    const wrongSender = fromLeaf(bob.leafIndex);
    expect(await tryAltered(ada, isStale, { suite: 3 })).toBe("400 mls-protocol-error");
    expect(await tryAltered(ada, isStale, { suite: 2 })).toBe("400 mls-protocol-error");
    expect(await tryAltered(ada, all(isStale, wrongSender))).toBe("409 mls-stale-message");
    expect(await tryAltered(ada, all(wrongSender, first(unknownReference)))).toBe(
      "400 mls-client-sender-user-mismatch",
    );
    expect(await tryAltered(ada, all(fromLeaf(77), first(unknownReference)))).toBe("400 mls-protocol-error");
    expect(await tryAltered(ada, first(blank, unknownReference))).toBe("400 mls-invalid-leaf-node-index");
    expect(await tryAltered(ada, first(unknownReference, blank))).toBe("404 mls-proposal-not-found");
    expect(await tryAltered(ada, withBrokenPath)).toBe("400 mls-commit-missing-references");
  });

  it("update path, removals, additions, keys, members", async () => {
    const { ada, bob, cleo, laptop, tablet, stranger } = await newCrowd();
    const self = removal(tablet.leafIndex);
    const half = removal(laptop.leafIndex);
    expect(await tryAltered(ada, withBrokenPath, { proposals: [self] })).toBe("400 mls-protocol-error");
    const otherKey = await ada.withOtherKey(await ada.prepare(self));
    expect(outcome(await ada.send(otherKey))).toBe("403 mls-identity-mismatch");
    expect(await tryAltered(ada, () => {}, { proposals: [half, self] })).toBe(
      "400 mls-self-removal-not-allowed",
    );
    const present = inline(addition((await tablet.makePackage()).publicPackage));
    expect(await tryAltered(ada, first(present), { proposals: [half] })).toBe("409 mls-client-mismatch");
    expect(await tryAltered(ada, first(present))).toBe("400 mls-protocol-error");

    const friend = await newMlsClient(stranger.user, { packages: 1 });
    const own = addition((await stranger.makePackage()).publicPackage);
    expect(await tryAltered(ada, () => {}, { proposals: [own] })).toBe("409 mls-client-mismatch");
    const forged = addition((await cleo.makePackage(stranger.device.identity)).publicPackage);
    const [other] = (await ada.additionsOf(stranger.user)).filter((one) => isOf(one, friend));
    expect(await tryAltered(ada, () => {}, { proposals: [forged, other as Proposal] })).toBe(
      "403 mls-identity-mismatch",
    );
    expect(await tryAltered(ada, () => {}, { proposals: [own, other as Proposal] })).toBe(
      "403 not-connected",
    );
    expect(outcome(await bob.commit())).toBe("201");
  });

  it("third users in a conversation of two, then whether they are strangers", async () => {
    const [ada, bob] = await newPeople(2);
    const stranger = await newMlsClient(await newUser());
    const path = `/v9/one2one-conversations/${localDomain}/${bob.user.id}`;
    const { body } = await api("GET", path, { token: ada.user.token });
    await ada.create(body.conversation.group_id);
    const both = await ada.additionsOf(bob.user, stranger.user);
    expect(outcome(await ada.commit(...both))).toBe("400 mls-protocol-error");
    expect(outcome(await ada.commit())).toBe("404 no-conversation");
  });
});

describe.concurrent("a commit by a member", () => {
  it("is refused for a wrong signature of any of the devices that it adds", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    await newMlsGroupOf(ada);
    const others = await Promise.all(
      [bob, cleo].flatMap(({ user }) => Array.from({ length: 5 }, () => newMlsClient(user))),
    );
    const packages = await Promise.all([bob, cleo, ...others].map((client) => client.makePackage()));
    const proposals = packages.map(({ publicPackage }) => addition(publicPackage));
    const last = proposals.length - 1;
    expect(last).toBeGreaterThan(verifiedUnknown);
    const damaging =
      (index: number) =>
      ({ commit }: AlterableCommit) => {
        const entry = commit.proposals[index];
        if (entry?.proposalOrRefType !== "proposal" || entry.proposal.proposalType !== "add")
          throw new Error("Not an addition");
        entry.proposal.add.keyPackage.signature = new Uint8Array(64);
      };
    const prepared = await ada.prepare(...proposals);
    for (const index of [0, last]) {
      const { body } = await ada.send(await ada.alter(prepared, damaging(index)));
      expect(body.message).toBe("The signature of a key package is wrong");
    }
    await ada.mustCommit(...proposals);
  });

  it("that adds and removes users lists those who join first", async () => {
    const { ada, bob, cleo, laptop } = await newCrowd();
    const removals = [bob, laptop].map(({ leafIndex }) => removal(leafIndex));
    const { body } = await ada.mustCommit(...removals, ...(await ada.additionsOf(cleo.user)));
    expect(body.events.map(({ type }: { type: string }) => type)).toEqual([
      "conversation.member-join",
      "conversation.member-leave",
    ]);
    // The lowest leaf that the removals have freed.
    await followTo(cleo, 3);
    expect(cleo.leafIndex).toBe(1);
    expect(outcome(await cleo.write("hello"))).toBe("201");
  });
});

describe.concurrent("an external commit", () => {
  it("contains one ExternalInit, and otherwise only its own device's removal and keys", async () => {
    const { ada, bob, id, tablet } = await newCrowd();
    const device = await newMlsClient(ada.user, { packages: 0 });
    const attempt = async (change: (message: AlterableCommit) => void) => {
      const prepared = await device.prepareJoin(id);
      return outcome(await device.send(await device.alter(prepared, change, ada.state.groupContext)));
    };
    const psk = inline({
      proposalType: "psk",
      psk: {
        preSharedKeyId: { psktype: "external", pskId: new Uint8Array(4), pskNonce: new Uint8Array(32) },
      },
    });
    const init = ({ commit }: AlterableCommit) => commit.proposals.push(...commit.proposals);
    const added = inline(addition((await tablet.makePackage()).publicPackage));
    for (const change of [
      first(unknownReference),
      init,
      ({ commit }: AlterableCommit) => commit.proposals.splice(0, 1),
      first(added),
      first(inline(removal(bob.leafIndex))),
      first(inline(removal(ada.leafIndex)), inline(removal(tablet.leafIndex))),
      ({ commit }: AlterableCommit) => {
        commit.path = undefined;
      },
      withBrokenPath,
    ])
      expect(await attempt(change)).toBe("400 mls-protocol-error");
    expect(await attempt(first(blank))).toBe("400 mls-invalid-leaf-node-index");
    // The signature is right, but the transcript is not the one of the group info.
    expect(await attempt(first(psk))).toBe("400 mls-protocol-error");
    expect(outcome(await device.send(await device.prepareJoin(id)))).toBe("201");
  });
});

/** Whether a proposal adds a device. */
function isOf(proposal: Proposal, { device }: MlsClient): boolean {
  if (proposal.proposalType !== "add") return false;
  const { credential } = proposal.add.keyPackage.leafNode;
  return (
    credential.credentialType === "basic" && Buffer.from(credential.identity).toString() === device.identity
  );
}
