import { chargeBytes } from "#shared/accounts/write-budget.ts";
import { type Conversation, isMls, timeAfter } from "#shared/conversations/conversation.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { deliverMessage, entitledDevices } from "#shared/conversations/deliver-mls.ts";
import type { Subconversation } from "#shared/conversations/subconversation.ts";
import { type Devices, findDevice } from "#shared/devices/device.ts";
import { type CipherSuite, cipherSuites } from "#shared/devices/mls/cipher-suites.ts";
import { deviceNamedBy } from "#shared/devices/mls/credential-identity.ts";
import type { Group, PendingProposal } from "#shared/devices/mls/group.ts";
import { type Leaf, type Leaves, leafOf } from "#shared/devices/mls/leaves.ts";
import {
  decodeMlsMessage,
  type PrivateMessage,
  type PublicMessage,
  proposalReference,
} from "#shared/devices/mls/mls-message.ts";
import { decodeProposal, type Proposal } from "#shared/devices/mls/proposal.ts";
import { toPublicKey } from "#shared/devices/mls/signature-key.ts";
import { StaleReadError, type Write } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";
import { readMembership } from "../read-as-member.ts";
import { additionRefusal } from "./client-sets.ts";
import { leafUpdated } from "./omitted-proposals.ts";
import { decoded, protocolError } from "./protocol-error.ts";
import { checkCurrent, readSubconversation, sendingDevice, type Target, targetOf } from "./target.ts";
import {
  type Addition,
  checkSenderLeaf,
  readAddition,
  registeredKey,
  verifyAddition,
  verifyMessage,
  verifyOwnLeaf,
} from "./verify.ts";

/** The state against which a message is checked. */
interface Recipient {
  readonly conversation: Conversation;
  readonly subconversation: Subconversation | undefined;
  /** Undefined before the first commit. */
  readonly group: Group | undefined;
  readonly device: Leaf;
}

/**
 * Send a proposal or an application message to the devices of a group. The order of the checks is part of the
 * interface.
 *
 * @returns the time of the message, in unix milliseconds
 * @throws ApiError as the route lists
 * @throws RateLimitedError while messages of the conversation or the sender wait to be delivered
 * @see operation `mls-message`
 */
export function sendMlsMessage(
  deps: Deps,
  { actor, bytes }: { actor: Actor; bytes: Buffer },
): Promise<number> {
  const { backlogs, clock, devices, groups, settings } = deps;
  const device = sendingDevice(actor);
  const message = decoded(() => decodeMlsMessage(bytes));
  const isKind = message.kind === "public" || (message.kind === "private" && message.isApplication);
  if (!isKind) throw new ApiError("mls-unsupported-message");
  const target = targetOf(message.groupId, settings);
  const { conversationId, subconversationId, groupId } = target;
  const { userId } = actor;
  return change(deps, async () => {
    const isPublic = message.kind === "public";
    const [found, foundSubconversation, group, ownDevices, pending, refusal] = await Promise.all([
      readForMessage(deps, target, userId),
      readSubconversation(deps, target),
      groups.get(groupId),
      isPublic ? devices.get(userId) : undefined,
      isPublic ? groups.pendingProposals(groupId, Number(message.epoch)) : [],
      backlogs.refusalOf({ conversationId, userId }),
    ]);
    if (!found?.members.some((member) => member.userId === userId)) throw new ApiError("no-conversation");
    if (refusal !== undefined) throw refusal;
    const { conversation } = found;
    const subconversation = checkCurrent(conversation, target, {
      found: foundSubconversation,
      settings,
    });
    const place = subconversation ?? conversation;
    // Otherwise, the message could be placed before the commit that begins its epoch.
    if (group !== undefined && place.group?.epoch !== group.epoch)
      throw new StaleReadError(`MLS group ${groupId}`);
    const recipient = { conversation, subconversation, group, device };
    const writes =
      message.kind === "public"
        ? await acceptPublic(deps, message, { ...recipient, ownDevices, pending })
        : acceptApplication(message, recipient);
    const time = timeAfter(place, clock());
    const delivery = { conversationId, subconversationId, actor, time, sender: device, bytes };
    const leaves = entitledDevices(group?.leaves ?? new Map(), found);
    const messages = deliverMessage(deps, { ...delivery, leaves });
    return { writes, messages, result: time };
  });
}

/**
 * Read a conversation with the members on whom a message depends: the sender and, in a conversation of two, the other
 * user.
 */
async function readForMessage(
  deps: Pick<Deps, "conversations">,
  { conversationId, type }: Target,
  userId: string,
): Promise<PopulatedConversation | undefined> {
  if (type === "one-to-one") return deps.conversations.getPopulated(conversationId);
  const { conversation, self } = (await readMembership(deps, { conversationId, userId })) ?? {};
  return conversation && { conversation, members: self === undefined ? [] : [self] };
}

/** How many epochs late a message may be: devices keep their keys for a while. */
const lateEpochs = 2;

/**
 * Check an application message. Only the sending device can be checked, not the sender inside the ciphertext.
 * @throws ApiError `mls-unsupported-message`, `mls-protocol-error`, `mls-stale-message`,
 * `mls-client-sender-user-mismatch`
 */
function acceptApplication({ epoch }: PrivateMessage, { conversation, group, device }: Recipient): Write[] {
  if (!isMls(conversation)) throw new ApiError("mls-unsupported-message");
  if (group === undefined) throw protocolError("Nobody has committed to the group yet");
  const age = BigInt(group.epoch) - epoch;
  if (age < 0 || age > lateEpochs) throw new ApiError("mls-stale-message");
  if (leafOf(group.leaves, device) === undefined) throw new ApiError("mls-client-sender-user-mismatch");
  return [];
}

/** Limited because every commit of the epoch reads and names all proposals. */
const maxMemberProposals = 100;
/** The largest proposals have a key package with a post-quantum key and a chain of certificates. */
const maxProposalBytes = 16 * 1024;

/**
 * Check that commits can still contain all proposals of the epoch.
 * @throws ApiError `mls-protocol-error`
 */
function checkRoom(
  { proposal, bytes }: { proposal: Proposal; bytes: Buffer },
  { group, pending, suite }: { group: Group; pending: readonly PendingProposal[]; suite: CipherSuite },
): void {
  const { leaves, memberProposals = 0 } = group;
  if (bytes.length > maxProposalBytes) throw protocolError("The proposal is too large");
  if (memberProposals >= maxMemberProposals)
    throw protocolError("The epoch has too many proposals: commit to them first");
  const target = targetOfProposal(proposal, leaves, suite);
  const isDoubled = pending.some(
    (one) => targetOfProposal(decodeProposal(Buffer.from(one.proposal)), leaves, suite) === target,
  );
  if (target !== undefined && isDoubled) throw protocolError("The epoch has a proposal to the same effect");
}

/** The leaf or device that a commit can change only once (RFC 9420 §12.2); undefined for other proposals. */
function targetOfProposal(proposal: Proposal, leaves: Leaves, suite: CipherSuite): string | undefined {
  switch (proposal.kind) {
    case "remove":
      return `leaf ${proposal.leafIndex}`;
    case "update":
      return `leaf ${leafUpdated(proposal, leaves, suite)}`;
    case "add":
      return deviceAdded(proposal, suite);
    case "group-context-extensions":
      return proposal.kind;
    default:
      return undefined;
  }
}

function deviceAdded(
  { keyPackage: { leafNode } }: Extract<Proposal, { kind: "add" }>,
  { signatureScheme }: CipherSuite,
): string | undefined {
  const key = toPublicKey(signatureScheme, leafNode.signatureKey);
  const device = key && deviceNamedBy(leafNode.credential, key);
  return device && `${device.userId}:${device.clientId}`;
}

/**
 * Check a proposal, and keep it until the epoch ends.
 * @throws ApiError as the route lists
 */
async function acceptPublic(
  deps: Pick<Deps, "budget" | "conversations" | "devices" | "groups" | "settings">,
  message: PublicMessage,
  recipient: Recipient & {
    readonly ownDevices: Devices | undefined;
    readonly pending: readonly PendingProposal[];
  },
): Promise<Write[]> {
  const { subconversation, group, device, ownDevices, pending } = recipient;
  const { sender, content } = message;
  if (group !== undefined && sender.type === "member") checkSenderLeaf(group, sender.leafIndex, device);
  if (content.type !== "proposal") throw new ApiError("mls-unsupported-message");
  if (group === undefined) throw protocolError("Nobody has committed to the group yet");
  if (BigInt(group.epoch) !== message.epoch) throw new ApiError("mls-stale-message");
  const suite = cipherSuites.get(group.cipherSuite);
  if (suite === undefined) throw protocolError("The cipher suite is not served");
  const { signatureScheme: scheme } = suite;
  const { settings } = deps;
  const { proposal } = content;
  if (subconversation !== undefined && proposal.kind === "add")
    throw protocolError("Devices join a subconversation by themselves");
  const expected = { number: group.cipherSuite, suite, settings };
  const verified = proposal.kind === "add" ? readAddition(proposal.keyPackage, expected) : undefined;
  if (verified !== undefined) verifyAddition(verified, suite);
  // Only external commits contain such a proposal, and it is never sent by itself (RFC 9420 §12.2).
  if (proposal.kind === "external-init") throw new ApiError("mls-unsupported-proposal");
  if (proposal.kind === "remove" && !group.leaves.has(proposal.leafIndex))
    throw new ApiError("mls-invalid-leaf-node-index");
  checkRoom(content, { group, pending, suite });

  const own = ownDevices && findDevice(ownDevices, device.clientId);
  let isUnverified = false;
  if (sender.type === "member") {
    if (own === undefined) throw new ApiError("mls-identity-mismatch");
    const key = registeredKey(own, scheme);
    isUnverified = key === undefined;
    if (key !== undefined) verifyMessage(message, { scheme, key, groupContext: group.groupContext });
    const { leafIndex } = sender;
    const place = { groupId: message.groupId, leafIndex };
    if (proposal.kind === "update")
      verifyOwnLeaf(proposal.leafNode, { source: "update", device, own, place, scheme, settings });
  } else {
    const isOwn =
      sender.type === "new-member-proposal" &&
      verified?.userId === device.userId &&
      ownDevices !== undefined &&
      findDevice(ownDevices, verified.clientId) !== undefined;
    const key = verified && toPublicKey(scheme, verified.leafNode.signatureKey);
    if (!isOwn || key === undefined) throw new ApiError("mls-unsupported-proposal");
    verifyMessage(message, { scheme, key });
  }
  if (verified !== undefined) await checkAddable(deps, { ...recipient, group, suite }, verified);
  const reference = proposalReference(message, suite).toString("base64");
  return [
    ...chargeBytes(deps, device, content.bytes.length),
    ...deps.groups.addProposal(group, {
      reference,
      proposal: new Uint8Array(content.bytes),
      ...(isUnverified && { isUnverified }),
    }),
  ];
}

/**
 * Check that a commit may contain the proposal to add a device, because other members' commits must contain it.
 * @throws ApiError `mls-protocol-error`, `mls-identity-mismatch`
 */
async function checkAddable(
  { conversations, devices }: Pick<Deps, "conversations" | "devices">,
  { conversation, group, suite }: { conversation: Conversation; group: Group; suite: CipherSuite },
  added: Addition,
): Promise<void> {
  const { conversationId } = conversation;
  const { userId } = added;
  const [owner, member] = await Promise.all([
    devices.get(userId),
    isMls(conversation) ? undefined : conversations.getMember({ conversationId, userId }),
  ]);
  const members = member === undefined ? [] : [member];
  const subject = { conversation, members, leaves: group.leaves, suite };
  const refusal = additionRefusal(subject, added, owner);
  if (refusal !== undefined) throw refusal;
}
