import type { KeyPackage } from "ts-mls";
import { describe, expect, it } from "vitest";
import { GroupStore } from "#shared/devices/mls/group-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { api, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { conversationData } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { type MlsDevice, newMlsDevice, newSigner } from "../../support/key-packages.ts";
import { addition, type MlsClient, newMlsClient, newMlsClientOf, removal } from "../../support/mls.ts";
import {
  followTo,
  newMlsGroup,
  newMlsGroupOf,
  newPeople,
  proposalsReach,
  readUntil,
} from "../../support/mls-groups.ts";
import { openSocket } from "../../support/socket.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { newUser } from "../../support/users.ts";

const { store, write } = conversationData();
const groups = new GroupStore({ dynamo: createDynamo(), config: stackConfig("test"), clock: systemClock });

const send = (client: MlsClient, bytes: Buffer) => client.post("/v9/mls/messages", bytes);

describe.concurrent("POST /mls/messages", () => {
  it("delivers to every other device of the group, over the socket and in the list, in order", async () => {
    const [ada, bob] = await newPeople(2);
    const tablet = await newMlsClient(ada.user);
    await newMlsGroup(ada);
    await ada.mustCommit(...(await ada.additionsOf(bob.user, ada.user)).filter(isNotOf(ada)));
    await Promise.all([followTo(bob, 1), followTo(tablet, 1)]);
    const socket = await openSocket("/await", { token: bob.token, query: { client: bob.clientId } });
    const texts = Array.from({ length: 20 }, (_, number) => `text ${number}`);
    for (const text of texts) {
      const { status, body } = await ada.write(text);
      expect([status, body.events]).toEqual([201, []]);
    }
    await Promise.all([readUntil(bob, texts), readUntil(tablet, texts)]);
    await socket.until((frames) => messagesIn(frames).length === texts.length);
    const listed = (await bob.notifications()).flatMap(({ payload }) => payload);
    expect(messagesIn(socket.frames)).toEqual(listed.filter(isMessage).map(({ data }) => data));
    const own = (await ada.notifications()).flatMap(({ payload }) => payload);
    expect(own.filter(isMessage)).toEqual([]);
  });

  it("accepts messages that are up to two epochs late, and none of other epochs", async () => {
    const [ada, bob] = await newPeople(2);
    await newMlsGroupOf(ada, bob);
    const late = await Promise.all([bob.encrypt("one"), bob.encrypt("two")]);
    await ada.mustCommit();
    await ada.mustCommit();
    expect(outcome(await send(bob, late[0]))).toBe("201");
    await ada.mustCommit();
    expect(outcome(await send(bob, late[1]))).toBe("409 mls-stale-message");
    const early = await ada.prepare();
    ada.state = early.next;
    expect(outcome(await ada.write("too early"))).toBe("409 mls-stale-message");
  });

  it("accepts nothing before the first commit, from strangers, or from devices outside the group", async () => {
    const [ada, bob] = await newPeople(2);
    await newMlsGroup(ada);
    expect(outcome(await ada.write("early"))).toBe("400 mls-protocol-error");
    await ada.add(bob.user);
    const [stranger, tablet] = await Promise.all([
      newMlsClient(await newUser(), { packages: 0 }),
      newMlsClient(ada.user, { packages: 0 }),
    ]);
    const bytes = await ada.encrypt("text");
    expect(outcome(await send(stranger, bytes))).toBe("404 no-conversation");
    expect(outcome(await send(tablet, bytes))).toBe("400 mls-client-sender-user-mismatch");
    await followTo(bob, 1);
    await ada.mustCommit(removal(bob.leafIndex));
    expect(outcome(await send(bob, await bob.encrypt("late")))).toBe("404 no-conversation");
  });

  it("accepts no messages of other kinds", async () => {
    const [ada, bob] = await newPeople(2);
    await newMlsGroupOf(ada, bob);
    const { commit, groupInfo, welcome } = await ada.prepare(
      ...(await ada.additionsOf((await newMlsClient(ada.user)).user)),
    );
    for (const bytes of [commit, groupInfo, welcome as Buffer])
      expect(outcome(await send(ada, bytes))).toBe("422 mls-unsupported-message");
    const bytes = await ada.encrypt("text");
    for (const bad of [Buffer.alloc(0), bytes.subarray(0, -1), Buffer.concat([bytes, bytes])])
      expect(outcome(await send(ada, bad))).toBe("400 mls-protocol-error");
  });

  it("accepts proposals, unless they are forged, stale or pointless", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    await newMlsGroupOf(ada, bob, cleo);
    const leaf = cleo.leafIndex;
    const proposal = await bob.propose(removal(leaf));
    expect(outcome(await send(ada, proposal))).toBe("400 mls-client-sender-user-mismatch");
    const forged = Buffer.from(proposal);
    forged.writeUInt8(forged.readUInt8(forged.length - 60) ^ 1, forged.length - 60);
    expect(outcome(await send(bob, forged))).toBe("400 mls-protocol-error");
    const initialisation = { proposalType: "external_init", externalInit: { kemOutput: new Uint8Array(32) } };
    expect(outcome(await send(bob, await bob.propose(initialisation as never)))).toBe(
      "422 mls-unsupported-proposal",
    );
    expect(outcome(await send(bob, proposal))).toBe("201");
    await Promise.all([ada, cleo].map((client) => proposalsReach(client, 1)));
    await ada.mustCommit();
    expect(outcome(await send(bob, proposal))).toBe("409 mls-stale-message");
  });

  it("limits the proposals of an epoch, without counting those of the service", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    const group = await newMlsGroupOf(ada, bob, cleo);
    const psk = async (number: number) =>
      send(bob, await bob.propose({ proposalType: "psk", psk: { preSharedKeyId: pskOf(number) } }));
    const outcomes: string[] = [];
    for (let number = 0; number < 102; number++) outcomes.push(outcome(await psk(number)));
    expect(outcomes).toEqual([...Array(100).fill("201"), ...Array(2).fill("400 mls-protocol-error")]);
    const path = `/v9/conversations/${localDomain}/${group.id}/members/${localDomain}/${cleo.user.id}`;
    expect(outcome(await api("DELETE", path, { token: cleo.user.token }))).toBe("200");
    await proposalsReach(ada, 101);
    const tablet = await newMlsClient(bob.user, { packages: 0 });
    expect(outcome(await tablet.send(await tablet.prepareJoin(group.id)))).toBe("201");
    await followTo(ada, 2);
    await proposalsReach(ada, 1);
    expect(outcome(await send(ada, await ada.propose(removal(tablet.leafIndex))))).toBe("201");
  });

  it("refuses a proposal that is larger than any real one", async () => {
    const [ada, bob] = await newPeople(2);
    await newMlsGroupOf(ada, bob);
    for (const length of [20_000, 500_000]) {
      const context = { extensionType: 0xff00, extensionData: new Uint8Array(length) };
      const proposal = {
        proposalType: "group_context_extensions",
        groupContextExtensions: { extensions: [context] },
      };
      expect(outcome(await send(bob, await bob.propose(proposal as never)))).toBe("400 mls-protocol-error");
    }
  });

  it("accepts one proposal to remove a device, and one to add it, so that commits can contain both", async () => {
    const [ada, bob, cleo, dora] = await newPeople(4);
    await newMlsGroupOf(ada, bob, cleo);
    const [first, second] = await Promise.all(
      [ada, bob].map(async (client) => send(client, await client.propose(removal(cleo.leafIndex)))),
    );
    expect([outcome(first as never), outcome(second as never)].sort()).toEqual([
      "201",
      "400 mls-protocol-error",
    ]);
    const [one, other] = [await ada.additionsOf(dora.user), await ada.additionsOf(dora.user)];
    expect(outcome(await send(ada, await ada.propose(one[0] as never)))).toBe("201");
    expect(outcome(await send(ada, await ada.propose(other[0] as never)))).toBe("400 mls-protocol-error");
  });

  it("refuses a proposal to add a device that no commit may add", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    await newMlsGroupOf(ada, bob);
    const device = await newMlsDevice(cleo.user);
    const forged = { ...device, signers: { ...device.signers, ed25519: newSigner("ed25519") } };
    const unknown = { ...device, identity: device.identity.replace(device.clientId, "abcdef") };
    const propose = async (keyPackage: KeyPackage) => {
      const { state } = ada;
      const answer = await send(ada, await ada.propose(addition(keyPackage)));
      if (answer.status !== 201) ada.state = state;
      return outcome(answer);
    };
    const made = async (from: MlsDevice) =>
      (await (await newMlsClientOf(cleo.user, from)).makePackage()).publicPackage;
    expect(await propose(await made(forged))).toBe("403 mls-identity-mismatch");
    expect(await propose(await made(unknown))).toBe("400 mls-protocol-error");
    expect(await propose((await bob.makePackage()).publicPackage)).toBe("400 mls-protocol-error");
    expect((await ada.mustCommit()).status).toBe(201);
    expect(await propose(await made(device))).toBe("201");
  });

  it("accepts a proposal to update a leaf under the registered key only, so that others can commit", async () => {
    const [ada, bob] = await newPeople(2);
    await newMlsGroupOf(ada, bob);
    const { state } = bob;
    const otherKey = await bob.propose(await bob.update(newSigner("ed25519")));
    expect(outcome(await send(bob, otherKey))).toBe("403 mls-identity-mismatch");
    bob.state = state;
    expect(outcome(await ada.commit())).toBe("201");
    await followTo(bob, 2);
    const update = await bob.update();
    const { leafNode } = update.proposalType === "update" ? update.update : {};
    const damaged = {
      proposalType: "update",
      update: { leafNode: { ...leafNode, signature: new Uint8Array(64) } },
    };
    const before = bob.state;
    expect(outcome(await send(bob, await bob.propose(damaged as never)))).toBe("400 mls-protocol-error");
    bob.state = before;
    expect(outcome(await send(bob, await bob.propose(update)))).toBe("201");
    await proposalsReach(ada, 1);
    await ada.mustCommit();
  });

  it("lets members commit without proposals of others that they may not carry out", async () => {
    const [ada, bob, cleo, dora] = await newPeople(4);
    await newMlsGroupOf(ada, bob, cleo);
    const further = await newMlsDevice(dora.user);
    const package_ = (await (await newMlsClientOf(dora.user, further)).makePackage()).publicPackage;
    for (const proposal of [removal(ada.leafIndex), addition(package_)])
      expect(outcome(await send(bob, await bob.propose(proposal)))).toBe("201");
    await proposalsReach(ada, 2);
    // Cleo has not read the proposals.
    expect(outcome(await cleo.commit())).toBe("201");
    await Promise.all([ada, bob].map((client) => followTo(client, 2)));

    const { state } = ada;
    expect(outcome(await send(cleo, await cleo.propose(removal(bob.leafIndex))))).toBe("201");
    await proposalsReach(ada, 1);
    const later = ada.state;
    ada.state = state;
    expect(outcome(await ada.commit())).toBe("400 mls-commit-missing-references");
    ada.state = later;
    await ada.mustCommit();
  });

  it("lets members commit without a proposal whose signature it cannot check", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    await newMlsGroupOf(ada, bob);
    const unregistered = await newMlsClientOf(cleo.user, await newMlsDevice(cleo.user, { registered: [] }));
    const added = addition((await unregistered.makePackage()).publicPackage);
    await ada.mustCommit(...(await ada.additionsOf(cleo.user)), added);
    await Promise.all([bob, unregistered].map((client) => followTo(client, 2)));
    const proposal = await unregistered.propose(removal(bob.leafIndex));
    proposal.writeUInt8(proposal.readUInt8(proposal.length - 60) ^ 1, proposal.length - 60);
    expect(outcome(await send(unregistered, proposal))).toBe("201");
    await ada.mustCommit();
  });

  it("lets members commit without proposals of which it cannot tell whether they can be carried out", async () => {
    const [ada, bob] = await newPeople(2);
    await newMlsGroupOf(ada, bob);
    const extensions = [{ extensionType: 0xff00, extensionData: new Uint8Array(1) }];
    const reinit = { groupId: new Uint8Array(1), version: "mls10", extensions: [] };
    for (const proposal of [
      { proposalType: "psk", psk: { preSharedKeyId: pskOf(1) } },
      { proposalType: "reinit", reinit: { ...reinit, cipherSuite: bob.state.groupContext.cipherSuite } },
      { proposalType: "group_context_extensions", groupContextExtensions: { extensions } },
    ])
      expect(outcome(await send(bob, await bob.propose(proposal as never)))).toBe("201");
    await ada.mustCommit();
  });

  it("lets members commit without a proposal to add a device that was deleted since", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    await newMlsGroupOf(ada, bob);
    const { state } = ada;
    const tablet = await newMlsClient(cleo.user, { packages: 0 });
    const added = addition((await tablet.makePackage()).publicPackage);
    expect(outcome(await send(ada, await ada.propose(added)))).toBe("201");
    const { password, token } = cleo.user;
    const path = `/v9/clients/${tablet.clientId}`;
    expect(outcome(await api("DELETE", path, { token, json: { password } }))).toBe("200");
    expect(outcome(await ada.commit())).toBe("409 mls-client-mismatch");
    ada.state = state;
    await ada.mustCommit();
  });

  it("leaves the service nothing to propose once a member has proposed the removal of a device", async () => {
    const [ada, bob, cleo] = await newPeople(3);
    const group = await newMlsGroupOf(ada, bob, cleo);
    expect(outcome(await send(ada, await ada.propose(removal(cleo.leafIndex))))).toBe("201");
    const path = `/v9/conversations/${localDomain}/${group.id}/members/${localDomain}/${cleo.user.id}`;
    expect(outcome(await api("DELETE", path, { token: cleo.user.token }))).toBe("200");
    await eventually(async () =>
      expect((await groups.get(group.groupId))?.leaves.get(cleo.leafIndex)).toMatchObject({
        isLeaving: true,
      }),
    );
    await ada.mustCommit();
    await followTo(bob, 2);
  });

  it("keeps messages of mixed conversations to Proteus", async () => {
    const [ada, bob] = await newPeople(2);
    const { id } = await newMlsGroupOf(ada, bob);
    const conversation = await store.get(id);
    if (conversation === undefined) throw new Error("No conversation");
    await write(store.change(conversation, { fields: { protocol: "mixed" } }).writes);
    expect(outcome(await ada.write("text"))).toBe("422 mls-unsupported-message");
    expect((await ada.mustCommit(removal(bob.leafIndex))).body.events).toEqual([]);
    expect((await store.getPopulated(id))?.members).toHaveLength(2);
  });
});

const pskOf = (number: number) => ({
  psktype: "external" as const,
  pskId: Buffer.from(`key ${number}`),
  pskNonce: new Uint8Array(32),
});

type Event = { readonly type: string; readonly data: string };
const isMessage = ({ type }: Event) => type === "conversation.mls-message-add";
const messagesIn = (frames: readonly { payload?: readonly Event[] }[]) =>
  frames.flatMap(({ payload = [] }) => payload.filter(isMessage).map(({ data }) => data));

/** Claiming for oneself leaves out the calling device, but two claims may run for one user. */
const isNotOf =
  ({ device }: MlsClient) =>
  (proposal: Awaited<ReturnType<MlsClient["additionsOf"]>>[number]) => {
    if (proposal.proposalType !== "add") return true;
    const { credential } = proposal.add.keyPackage.leafNode;
    return (
      credential.credentialType !== "basic" || Buffer.from(credential.identity).toString() !== device.identity
    );
  };
