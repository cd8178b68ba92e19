import { maxMembersOfCommit } from "#shared/conversations/follow-commit.ts";
import type { PendingProposal } from "#shared/devices/mls/group.ts";
import { devicesByUser, type Leaves } from "#shared/devices/mls/leaves.ts";
import type { Commit, PublicMessage } from "#shared/devices/mls/mls-message.ts";
import { decodeProposal, type Proposal } from "#shared/devices/mls/proposal.ts";
import { allDone } from "#shared/platform/all-done.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";
import { checkProposals } from "./check-proposals.ts";
import { checkAdditions, usersRemoved } from "./client-sets.ts";
import type { CommitBundle } from "./commit-bundle.ts";
import { checkMembers } from "./commit-members.ts";
import type { CommitPlan } from "./commit-plan.ts";
import { type CommitSubject, changesMembers } from "./commit-subject.ts";
import { makeRoom } from "./make-room.ts";
import { checkOmitted } from "./omitted-proposals.ts";
import { protocolError } from "./protocol-error.ts";
import { requireInParent } from "./require-in-parent.ts";
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
