import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { timeAfter } from "#shared/conversations/conversation.ts";
import type { ConversationJob } from "#shared/conversations/conversation-job.ts";
import type { ConversationStore, PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { deliverMessage, entitledDevices } from "#shared/conversations/deliver-mls.ts";
import { isDeserted, subconversationReset } from "#shared/conversations/reset-subconversation.ts";
import type { Subconversation } from "#shared/conversations/subconversation.ts";
import type { SubconversationStore } from "#shared/conversations/subconversation-store.ts";
import { findDevice } from "#shared/devices/device.ts";
import type { DeviceStore } from "#shared/devices/device-store.ts";
import { cipherSuites } from "#shared/devices/mls/cipher-suites.ts";
import type { Group, PendingProposal } from "#shared/devices/mls/group.ts";
import type { GroupStore } from "#shared/devices/mls/group-store.ts";
import { devicesByUser, type Leaf, type Leaves, markLeaving } from "#shared/devices/mls/leaves.ts";
import { decodeMlsMessage, proposalReference } from "#shared/devices/mls/mls-message.ts";
import { decodeProposal, makeRemovalProposal } from "#shared/devices/mls/proposal.ts";
import { type RemovalKeys, readRemovalKeys } from "#shared/devices/mls/removal-keys.ts";
import type { EventPublisher } from "#shared/events/publisher.ts";
import type { Clock } from "#shared/platform/clock.ts";
import { StaleReadError } from "#shared/platform/data/conditions.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Settings } from "#shared/registry/settings.ts";

interface ProposalDeps {
  readonly clock: Clock;
  readonly conversations: ConversationStore;
  readonly devices: DeviceStore;
  readonly dynamo: DynamoDBDocumentClient;
  readonly events: EventPublisher;
  readonly groups: GroupStore;
  readonly outbox: Outbox;
  readonly secrets: SecretReader;
  readonly settings: Settings;
  readonly subconversations: SubconversationStore;
}

type Wish = Omit<Extract<ConversationJob, { job: "propose-removals" }>, "job">;
type DeviceRemoval = Omit<Extract<ConversationJob, { job: "remove-device" }>, "job">;
/** Where to go on when time ran out. */
type Rest = Pick<Wish, "after">;

/** Each proposal takes two of the 100 writes of a transaction, and its event goes to all devices. */
const maxProposals = 20;
/**
 * Maximum number of the service's proposals in an epoch. A commit has to name them all, and the service repeats them
 * after an external commit. Further removals are proposed after the next commit.
 */
const maxProposalsOfEpoch = 100;

/**
 * Propose to the MLS groups of a conversation and its subconversations the removal of devices that do not belong there
 * any more. These devices get nothing from then on; a commit of any device in the group removes them. May be repeated.
 *
 * @returns undefined when all is done, otherwise the subconversation after which to go on
 */
export async function proposeRemovals(
  deps: ProposalDeps,
  wish: Wish,
  isTimeUp: TimeLimit,
): Promise<Rest | undefined> {
  const [keys, isLost] = await Promise.all([readRemovalKeys(deps.secrets), readLost(deps, wish)]);
  /** @returns whether all is done */
  const proposeTo = async (subconversationId?: string): Promise<boolean> => {
    while (!isTimeUp()) {
      const hasMore = await change(deps, () => proposeSome(deps, { keys, isLost, wish, subconversationId }));
      if (!hasMore) return true;
    }
    return false;
  };
  const { conversationId, subconversationId, after, onlySubconversations = false } = wish;
  if (subconversationId !== undefined) return (await proposeTo(subconversationId)) ? undefined : {};
  if (after === undefined && !onlySubconversations && !(await proposeTo())) return {};
  let last = after;
  for await (const { subconversationId: next, group } of deps.subconversations.ofConversation(
    conversationId,
    after,
  )) {
    if (group.epoch > 0 && !(await proposeTo(next))) return { after: last };
    last = next;
  }
  await forgetDeparted(deps, wish);
  return undefined;
}

/** The devices of these users are marked now, so the conversation need not name them any more. */
const forgetDeparted = (deps: ProposalDeps, { conversationId, userIds = [] }: Wish): Promise<void> =>
  change(deps, async () => {
    const { conversations, groups } = deps;
    const conversation = await conversations.get(conversationId);
    const { departed = [], group } = conversation ?? {};
    if (conversation === undefined || departed.length === 0) return undefined;
    const present = devicesByUser((group && (await groups.get(group.groupId)))?.leaves ?? new Map());
    const remaining = departed.filter((userId) => present.has(userId) || !userIds.includes(userId));
    if (remaining.length === departed.length) return undefined;
    const fields = { departed: remaining.length > 0 ? remaining : undefined };
    return { writes: conversations.change(conversation, { fields }).writes };
  });

type DeviceCheck = (leaf: Leaf) => boolean;

/** Reads the devices of users who may have lost some. */
async function readLost({ devices }: ProposalDeps, { lostDevicesOf = [] }: Wish): Promise<DeviceCheck> {
  const found = await devices.getMany(lostDevicesOf);
  const byUser = new Map(found.map((one) => [one.userId, one]));
  return ({ userId, clientId }) => {
    const own = byUser.get(userId);
    return lostDevicesOf.includes(userId) && (own === undefined || findDevice(own, clientId) === undefined);
  };
}

async function proposeSome(
  deps: ProposalDeps,
  {
    keys,
    isLost,
    wish,
    subconversationId,
  }: { keys: RemovalKeys; isLost: DeviceCheck; wish: Wish; subconversationId: string | undefined },
) {
  const { clock, groups } = deps;
  const place = await readPlace(deps, wish, subconversationId);
  if (place === undefined) return { result: false };
  const { found, subconversation, group, pending, parentLeaves } = place;
  const members = new Set(found.members.map(({ userId }) => userId));
  const proposed = removalsAmong(pending);
  const room = maxProposalsOfEpoch - pending.filter(({ isOfService }) => isOfService).length;
  const isOpen = (index: number) => room > 0 && !proposed.has(index);
  const indices = leavesToPropose(group, isOpen, (leaf) => isLost(leaf) || isUnwanted(leaf, wish, members));
  if (subconversation !== undefined && isDeserted({ leaves: markLeaving(group.leaves, indices) }))
    return { ...subconversationReset(deps, subconversation), result: false };
  const batch = indices.slice(0, maxProposals);
  if (batch.length === 0) return { result: false };

  const leaves = markLeaving(group.leaves, batch);
  const proposals = batch
    .filter((index) => !proposed.has(index))
    .slice(0, Math.max(room, 0))
    .map((leafIndex) => propose(group, leafIndex, keys));
  const { parts, writes, cleanUp } = groups.proposeRemovals(
    group,
    leaves,
    proposals.map(({ stored }) => stored),
  );
  const { conversationId, from } = wish;
  const time = timeAfter(place, clock());
  const recipients = byDevice(entitledDevices(parentLeaves, found), entitledDevices(leaves, found));
  const messages = proposals.flatMap(({ bytes, leafIndex }) => {
    const userId = from ?? group.leaves.get(leafIndex)?.userId ?? "";
    const delivery = { conversationId, subconversationId, actor: { userId }, time, bytes };
    return deliverMessage(deps, { ...delivery, leaves: recipients });
  });
  return {
    parts: [parts],
    writes,
    messages,
    afterCommit: cleanUp,
    result: indices.length > batch.length,
  };
}

/** A group, and the data that decide which devices have to leave it. */
interface Place {
  readonly found: PopulatedConversation;
  readonly subconversation: Subconversation | undefined;
  readonly group: Group;
  readonly pending: readonly PendingProposal[];
  /** Time of the last change that the group's devices were told of. */
  readonly changedAt: number;
  /** Devices in the conversation's group, which are told of subconversations, too. */
  readonly parentLeaves: Leaves;
}

/** Undefined before the first commit to the group. */
async function readPlace(
  deps: ProposalDeps,
  wish: Wish,
  subconversationId: string | undefined,
): Promise<Place | undefined> {
  const { groups, subconversations } = deps;
  const { conversationId } = wish;
  const [found, subconversation] = await Promise.all([
    readConversation(deps, wish),
    subconversationId === undefined ? undefined : subconversations.get({ conversationId, subconversationId }),
  ]);
  const record = subconversationId === undefined ? found?.conversation : subconversation;
  if (found === undefined || record?.group === undefined || record.group.epoch === 0) return undefined;
  const { groupId, epoch } = record.group;
  const parentId = found.conversation.group?.groupId;
  const [group, pending, parent] = await Promise.all([
    groups.get(groupId),
    groups.pendingProposals(groupId, epoch),
    subconversation === undefined || parentId === undefined ? undefined : groups.get(parentId),
  ]);
  if (group?.epoch !== epoch) throw new StaleReadError(`MLS group ${groupId}`);
  const { changedAt } = record;
  return { found, subconversation, group, pending, changedAt, parentLeaves: parent?.leaves ?? new Map() };
}

/** Without members if neither the leaves to remove nor the recipients of the proposals depend on them. */
async function readConversation(
  { conversations }: ProposalDeps,
  { conversationId, userIds }: Wish,
): Promise<PopulatedConversation | undefined> {
  if (userIds?.length !== 0) return conversations.getPopulated(conversationId);
  const conversation = await conversations.get(conversationId);
  if (conversation?.type === "one-to-one") return conversations.getPopulated(conversationId);
  return conversation && { conversation, members: [] };
}

/** Each device once: a device that has come back may have two leaves. */
const byDevice = (...groups: readonly Leaves[]): ReadonlyMap<string, Leaf> =>
  new Map(
    groups
      .flatMap((leaves) => [...leaves.values()])
      .filter(({ isLeaving }) => !isLeaving)
      .map((leaf) => [`${leaf.userId}:${leaf.clientId}`, leaf] as const),
  );

/** Decides whether a device must leave a group. */
const isUnwanted = (
  { userId, clientId }: Leaf,
  { userIds, device }: Wish,
  members: ReadonlySet<string>,
): boolean =>
  (userId === device?.userId && clientId === device.clientId) ||
  (!members.has(userId) && (userIds?.includes(userId) ?? device === undefined));

/** Leaves to remove that are not marked yet, or still have no proposal in this epoch. */
function leavesToPropose(
  { leaves }: Group,
  isOpen: (index: number) => boolean,
  isUnwantedLeaf: DeviceCheck,
): number[] {
  return [...leaves]
    .filter(([index, leaf]) => (leaf.isLeaving ? isOpen(index) : isUnwantedLeaf(leaf)))
    .map(([index]) => index);
}

/** Leaves that some proposal already removes: no commit could contain two proposals to remove the same leaf. */
const removalsAmong = (pending: readonly PendingProposal[]): Set<number> =>
  new Set(
    pending
      .map(({ proposal }) => decodeProposal(Buffer.from(proposal)))
      .flatMap((proposal) => (proposal.kind === "remove" ? [proposal.leafIndex] : [])),
  );

function propose({ groupId, epoch, cipherSuite }: Group, leafIndex: number, keys: RemovalKeys) {
  const suite = cipherSuites.get(cipherSuite);
  if (suite === undefined) throw new Error(`Cipher suite ${cipherSuite} is no longer served`);
  const { signatureScheme: scheme } = suite;
  const place = { groupId: Buffer.from(groupId, "base64"), epoch, leafIndex };
  const bytes = makeRemovalProposal(place, { scheme, key: keys[scheme] });
  const message = decodeMlsMessage(bytes);
  if (message.kind !== "public" || message.content.type !== "proposal")
    throw new Error("A removal is not a proposal");
  const reference = proposalReference(message, suite).toString("base64");
  return { bytes, leafIndex, stored: { reference, proposal: new Uint8Array(message.content.bytes) } };
}

/**
 * Propose the removal of a deleted device to all groups of its user.
 * @returns undefined when all is done, otherwise where to go on
 */
export async function removeDeviceFromGroups(
  deps: ProposalDeps,
  { after, begun, ...device }: DeviceRemoval,
  isTimeUp: TimeLimit,
): Promise<Pick<DeviceRemoval, "after" | "begun"> | undefined> {
  for (let last = after; ; ) {
    const page = await deps.conversations.listOfUser(device.userId, { after: last, limit: pageSize });
    for (const { conversationId } of page) {
      if (isTimeUp()) return { after: last, begun };
      // The user may have left the conversation that was in progress.
      const within = begun?.conversationId === conversationId ? begun.after : undefined;
      const wish = { conversationId, userIds: [], device, after: within };
      const rest = await proposeRemovals(deps, wish, isTimeUp);
      if (rest !== undefined) return { after: last, begun: { conversationId, ...rest } };
      last = conversationId;
    }
    if (page.length < pageSize) return undefined;
  }
}

/** Conversations read at a time. */
const pageSize = 100;
