import { isOngoing } from "#shared/accounts/legal-hold-status.ts";
import { isMls } from "#shared/conversations/conversation.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { mlsOneToOneConversationId } from "#shared/conversations/derived-ids.ts";
import { newConversation } from "#shared/conversations/new-conversation.ts";
import type { Subconversation } from "#shared/conversations/subconversation.ts";
import { type Device, findDevice, hasLegalHoldDevice } from "#shared/devices/device.ts";
import { type CipherSuite, cipherSuites } from "#shared/devices/mls/cipher-suites.ts";
import { deviceNamedBy } from "#shared/devices/mls/credential-identity.ts";
import type { Group, PendingProposal } from "#shared/devices/mls/group.ts";
import { type Leaf, leafOf } from "#shared/devices/mls/leaves.ts";
import { toPublicKey } from "#shared/devices/mls/signature-key.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { readCandidates } from "../candidates.ts";
import type { Deps } from "../deps.ts";
import { readMembership } from "../read-as-member.ts";
import type { CommitBundle } from "./commit-bundle.ts";
import { protocolError } from "./protocol-error.ts";
import { checkCurrent, readSubconversation, type Target, targetOf } from "./target.ts";

/** The state that a commit is about to change. */
export interface CommitSubject extends PopulatedConversation {
  /** Whether the conversation of two users is not stored yet: then it has no members. */
  readonly isNew: boolean;
  /**
   * The subconversation, if the group is that of one. Then only the committing member of the conversation has been
   * read.
   */
  readonly subconversation: Subconversation | undefined;
  readonly groupId: string;
  /** Undefined before the first commit. */
  readonly group: Group | undefined;
  /** All proposals of the epoch. */
  readonly pending: readonly PendingProposal[];
  /** The committing device. */
  readonly device: Leaf;
  readonly registered: Device;
  /** Number of the cipher suite. */
  readonly suiteNumber: number;
  readonly suite: CipherSuite;
}

/**
 * Read what a commit is about to change, and check that it is for the present epoch. The order of the checks is part of
 * the interface.
 *
 * @throws ApiError `mls-protocol-error`, `no-conversation`, `federation-not-enabled`, `mls-legal-hold-not-allowed`,
 * `mls-stale-message`, `mls-identity-mismatch`
 */
export async function readSubject(
  deps: Deps,
  { device, bundle }: { device: Leaf; bundle: CommitBundle },
): Promise<CommitSubject> {
  const { accounts, devices, groups, settings } = deps;
  const { userId } = device;
  const { message, groupInfo } = bundle;
  const target = targetOf(message.groupId, deps.settings);
  const { groupId } = target;
  const [found, foundSubconversation, group, pending, account, ownDevices] = await Promise.all([
    readConversation(deps, target, userId),
    readSubconversation(deps, target),
    groups.get(groupId),
    groups.pendingProposals(groupId, Number(message.epoch)),
    accounts.get(userId),
    devices.get(userId),
  ]);
  const populated = found ?? (await readUnstored(deps, { target, group, bundle, userId }));
  const { conversation, members } = populated;
  const isNew = found === undefined;
  if (!isNew && !members.some((member) => member.userId === userId)) throw new ApiError("no-conversation");
  const subconversation = checkCurrent(conversation, target, {
    found: foundSubconversation,
    settings,
  });

  const suiteNumber = groupInfo.context.suite;
  const suite = cipherSuites.get(suiteNumber);
  if (suite === undefined) throw protocolError("The cipher suite is not served");
  const isUnderLegalHold = isOngoing(account?.legalHoldStatus) || hasLegalHoldDevice(ownDevices);
  if (group === undefined && isUnderLegalHold) throw new ApiError("mls-legal-hold-not-allowed");
  if (group !== undefined && group.cipherSuite !== suiteNumber)
    throw protocolError("The group has another cipher suite");
  if (group !== undefined && BigInt(group.epoch) !== message.epoch) throw new ApiError("mls-stale-message");

  const registered = findDevice(ownDevices, device.clientId);
  if (registered === undefined) throw new ApiError("mls-identity-mismatch");
  const place = { ...populated, isNew, subconversation, groupId };
  return { ...place, group, pending, device, registered, suiteNumber, suite };
}

/** A commit to a subconversation changes no members, so they need not be read. */
async function readConversation(
  deps: Deps,
  { conversationId, subconversationId, type }: Target,
  userId: string,
): Promise<PopulatedConversation | undefined> {
  if (subconversationId === undefined || type === "one-to-one")
    return deps.conversations.getPopulated(conversationId);
  const found = await readMembership(deps, { conversationId, userId });
  return found && { conversation: found.conversation, members: found.self ? [found.self] : [] };
}

/**
 * The conversation of two users that the first commit of its group creates, if the commit adds the other user.
 * @throws ApiError `no-conversation`
 */
async function readUnstored(
  deps: Deps,
  {
    target: { conversationId, subconversationId, type },
    group,
    bundle,
    userId,
  }: { target: Target; group: Group | undefined; bundle: CommitBundle; userId: string },
): Promise<PopulatedConversation> {
  const { domain } = deps.settings;
  const isFirstOfTwo = type === "one-to-one" && subconversationId === undefined && group === undefined;
  const candidates = isFirstOfTwo ? new Set(usersAdded(bundle)) : [];
  const peerId = [...candidates].find(
    (id) => id !== userId && mlsOneToOneConversationId(userId, id, domain) === conversationId,
  );
  if (peerId === undefined) throw new ApiError("no-conversation");
  const { isAcquainted } = await readCandidates(deps, { userId, candidateIds: [peerId] });
  if (!isAcquainted(peerId)) throw new ApiError("no-conversation");
  return newConversation({ conversationId, type, protocol: "mls", members: [] }, deps);
}

/** More than the devices of two users, and the proposals about them. */
const maxDevicesOfTwo = 100;

/** Users whom a commit claims to add; their key packages have not been checked. */
function usersAdded({ commit, groupInfo }: CommitBundle): string[] {
  const scheme = cipherSuites.get(groupInfo.context.suite)?.signatureScheme;
  if (scheme === undefined) return [];
  return commit.proposals.slice(0, maxDevicesOfTwo).flatMap((entry) => {
    if (!("proposal" in entry) || entry.proposal.kind !== "add") return [];
    const { credential, signatureKey } = entry.proposal.keyPackage.leafNode;
    const key = toPublicKey(scheme, signatureKey);
    return (key && deviceNamedBy(credential, key)?.userId) ?? [];
  });
}

/** Whether the commit changes who the members of the conversation are. */
export const changesMembers = ({
  conversation,
  subconversation,
}: Pick<CommitSubject, "conversation" | "subconversation">) =>
  isMls(conversation) && subconversation === undefined;

/**
 * Require that the device is in the group of the conversation if it begins or joins a subconversation. Otherwise, its
 * removal from the conversation would not remove it from the subconversation.
 *
 * @returns conditions of the transaction
 * @throws ApiError `mls-subconv-join-parent-missing`
 */
export async function requireInParent(
  { groups }: Pick<Deps, "groups">,
  { conversation, subconversation, device }: CommitSubject,
): Promise<Write[]> {
  if (subconversation === undefined) return [];
  const parentId = conversation.group?.groupId;
  const parent = parentId === undefined ? undefined : await groups.get(parentId);
  if (parent === undefined || leafOf(parent.leaves, device) === undefined)
    throw new ApiError("mls-subconv-join-parent-missing");
  return [groups.requireUnchanged(parent)];
}
