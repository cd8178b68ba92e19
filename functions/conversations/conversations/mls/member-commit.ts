import { maxMembersOfCommit } from "#shared/conversations/follow-commit.ts";
import { subconversationReset } from "#shared/conversations/reset-subconversation.ts";
import type { Subconversation } from "#shared/conversations/subconversation.ts";
import { maxSubconversations } from "#shared/conversations/subconversation-store.ts";
import type { PendingProposal } from "#shared/devices/mls/group.ts";
import type { KeyPackage } from "#shared/devices/mls/key-package.ts";
import { devicesByUser, type Leaves } from "#shared/devices/mls/leaves.ts";
import type { Commit, PublicMessage } from "#shared/devices/mls/mls-message.ts";
import { decodeProposal, type Proposal } from "#shared/devices/mls/proposal.ts";
import { allDone } from "#shared/platform/all-done.ts";
import { chunks } from "#shared/platform/chunks.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { combine } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";
import { checkAdditions, usersRemoved } from "./client-sets.ts";
import type { CommitBundle } from "./commit-bundle.ts";
import { type CommitPlan, checkMembers } from "./commit-members.ts";
import { type CommitSubject, changesMembers, requireInParent } from "./commit-subject.ts";
import { checkOmitted } from "./omitted-proposals.ts";
import { protocolError } from "./protocol-error.ts";
import {
  type Addition,
  checkSenderLeaf,
  readAddition,
  registeredKey,
  verifyAddition,
  verifyMessage,
  verifyOwnLeaf,
} from "./verify.ts";

/** The creator of a group has its first leaf. */
const creatorLeaf = 0;

/**
 * Check a commit of a device that is in the group, and decide what it changes. The order of the checks is part of the
 * interface.
 *
 * @throws ApiError as the route lists
 */
export async function planMemberCommit(
  deps: Deps,
  subject: CommitSubject,
  { message, commit }: Pick<CommitBundle, "message" | "commit">,
  leafIndex: number,
): Promise<CommitPlan> {
  const { settings } = deps;
  const { device, group, pending, registered, suite, suiteNumber } = subject;
  const { signatureScheme: scheme } = suite;
  const leaves: Leaves = group?.leaves ?? new Map([[creatorLeaf, device]]);
  checkSenderLeaf({ leaves }, leafIndex, device);
  const key = registeredKey(registered, scheme);
  if (group !== undefined && key !== undefined)
    verifyMessage(message, { scheme, key, groupContext: group.groupContext });

  const used = new Set<string>();
  const expected = { number: suiteNumber, suite, settings };
  const { removed, added, verifyOthers } = checkProposals(resolve(commit, pending, used), leaves, {
    read: (keyPackage) => readAddition(keyPackage, expected),
    verify: (addition) => verifyAddition(addition, suite),
  });
  const omitted = pending.filter(({ reference }) => !used.has(reference));
  await checkOmitted(deps, { subject: { ...subject, leaves }, removed }, omitted);
  const place = { groupId: message.groupId, leafIndex };
  const pathKey =
    commit.pathLeaf &&
    verifyOwnLeaf(commit.pathLeaf, { source: "commit", device, own: registered, place, scheme, settings });
  checkFirstEpoch(subject, message);
  if (subject.subconversation !== undefined && added.length > 0)
    throw protocolError("Devices join a subconversation by themselves");
  const inParent = group === undefined ? await requireInParent(deps, subject) : [];
  const room = await makeRoom(deps, subject);

  const leaving = changesMembers(subject) ? usersRemoved(leaves, removed, device.userId) : [];
  if (removed.has(leafIndex)) throw protocolError("A commit cannot remove its sender");
  const members = new Set(subject.members.map(({ userId }) => userId));
  const users = new Set([...(subject.isNew ? [device.userId] : []), ...added.map(({ userId }) => userId)]);
  const joining = changesMembers(subject) ? [...users].filter((userId) => !members.has(userId)) : [];
  const leavers = leaving.filter((userId) => members.has(userId));
  // The service is about to propose the removal of these devices.
  if (joining.some((userId) => devicesByUser(leaves).has(userId) && userId !== device.userId))
    throw new ApiError("mls-stale-message", { message: "A commit adds a device of somebody who is leaving" });
  const checkedDevices = checkAdditions(deps, subject, { leaves, removed, added }).then(() =>
    checkFirstPair(subject, added),
  );
  // Anybody can name thousands of users, who are read only if they have these devices.
  if (joining.length > maxMembersOfCommit) await checkedDevices;
  // Problems with devices are reported first.
  const [, memberCheck] = await allDone([
    checkedDevices,
    checkMembers(deps, subject, { joining, leaving: leavers }),
  ]);
  verifyOthers();
  return {
    leaves,
    removed: [...removed],
    added,
    leafIndex,
    key: key ?? pathKey,
    joining,
    leaving: leavers,
    ...memberCheck,
    conditions: [...memberCheck.conditions, ...inParent],
    room,
  };
}

/** @throws ApiError `mls-protocol-error` unless the first commit of a conversation of two users brings in the other one */
function checkFirstPair(subject: CommitSubject, added: readonly Addition[]): void {
  const { conversation, device, group } = subject;
  if (conversation.type !== "one-to-one" || group !== undefined || !changesMembers(subject)) return;
  const others = new Set(added.map(({ userId }) => userId).filter((userId) => userId !== device.userId));
  if (others.size !== 1) throw protocolError("The conversation of two users starts with both");
}

/**
 * The proposals of a commit in full, each read just before it is checked.
 * @param used receives the references that the commit names
 * @throws ApiError `mls-proposal-not-found`, `mls-protocol-error`
 */
function* resolve(
  { proposals }: Commit,
  pending: readonly PendingProposal[],
  used: Set<string>,
): Generator<Proposal> {
  const byReference = new Map(pending.map((one) => [one.reference, one]));
  for (const entry of proposals) {
    if ("proposal" in entry) {
      yield entry.proposal;
      continue;
    }
    const reference = entry.reference.toString("base64");
    const stored = byReference.get(reference);
    if (stored === undefined) throw new ApiError("mls-proposal-not-found");
    if (used.has(reference)) throw protocolError("A commit names a proposal twice");
    used.add(reference);
    yield decodeProposal(Buffer.from(stored.proposal));
  }
}

/** A group that nobody has committed to is in epoch 0. @throws ApiError `mls-stale-message` */
function checkFirstEpoch({ group }: CommitSubject, { epoch }: PublicMessage): void {
  if (group === undefined && epoch !== 0n) throw new ApiError("mls-stale-message");
}

/** Maximum number of devices that one commit may add: all devices of 500 users. */
export const maxAdditions = 5000;

/**
 * Devices whose signatures are verified before it is known whether they exist. Anybody can sign thousands of others,
 * whose verification would take a second.
 */
export const verifiedUnknown = 10;

interface Checks {
  /** Reads the owner of the key package, which is cheap. */
  readonly read: (keyPackage: KeyPackage) => Addition;
  /** Verifies its signatures; a body has room for ten thousand. */
  readonly verify: (addition: Addition) => void;
}

/**
 * Check the proposals of a member's commit. Signatures are verified last, and only of so many different devices.
 *
 * @returns leaves to remove, devices to add, and a function that verifies the other signatures, once it is known that
 * the devices may be added
 * @throws ApiError `mls-protocol-error`, `mls-invalid-leaf-node-index`, `mls-unsupported-proposal`
 */
export function checkProposals(proposals: Iterable<Proposal>, leaves: Leaves, { read, verify }: Checks) {
  const removed = new Set<number>();
  const added = new Map<string, Addition>();
  for (const proposal of proposals) {
    if (proposal.kind === "external-init") throw protocolError("Only new members initialise a group");
    if (proposal.kind === "add") {
      if (added.size === maxAdditions) throw protocolError("A commit adds too many devices");
      const addition = read(proposal.keyPackage);
      const name = `${addition.userId}:${addition.clientId}`;
      if (added.has(name)) throw protocolError("A commit adds a device twice");
      added.set(name, addition);
    }
    if (proposal.kind !== "remove") continue;
    const { leafIndex } = proposal;
    if (!leaves.has(leafIndex) || removed.has(leafIndex)) throw new ApiError("mls-invalid-leaf-node-index");
    removed.add(leafIndex);
  }
  const additions = [...added.values()];
  for (const addition of additions.slice(0, verifiedUnknown)) verify(addition);
  const verifyOthers = () => {
    for (const addition of additions.slice(verifiedUnknown)) verify(addition);
  };
  return { removed, added: additions, verifyOthers };
}

type RoomDeps = Pick<Deps, "groups" | "outbox" | "subconversations">;

/**
 * Count the subconversation that a commit begins, if it does. At the limit, the least recently changed subconversation
 * with at most one user is ended, because nobody talks there.
 *
 * @throws ApiError `mls-protocol-error` when all others are in use
 */
async function makeRoom(
  deps: RoomDeps,
  { conversation: { conversationId }, group, subconversation }: CommitSubject,
): Promise<CommitPlan["room"]> {
  if (subconversation === undefined || group !== undefined) return undefined;
  const { subconversations } = deps;
  const survey = await subconversations.survey(conversationId);
  const isFull = survey.living.length >= maxSubconversations;
  const unused = isFull ? await findUnused(deps, survey.living) : undefined;
  if (isFull && unused === undefined) throw protocolError("The conversation has too many subconversations");
  return combine(
    { writes: subconversations.begin(survey, subconversation, unused === undefined ? 0 : 1) },
    unused && subconversationReset(deps, unused),
  );
}

/** Groups that are read at a time: an unused one is nearly always among the first. */
const readTogether = 10;

async function findUnused(
  { groups }: RoomDeps,
  living: readonly Subconversation[],
): Promise<Subconversation | undefined> {
  for (const some of chunks([...living], readTogether)) {
    const found = await Promise.all(some.map(({ group }) => groups.get(group.groupId)));
    const index = found.findIndex((group) => devicesByUser(group?.leaves ?? new Map()).size <= 1);
    if (index >= 0) return some[index];
  }
  return undefined;
}
