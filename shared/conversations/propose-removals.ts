import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { EventPublisher } from "#shared/events/publisher.ts";
import { cipherSuites } from "#shared/mls/cipher-suites.ts";
import type { Group, PendingProposal } from "#shared/mls/group.ts";
import type { GroupStore } from "#shared/mls/group-store.ts";
import { type Leaf, markLeaving } from "#shared/mls/leaves.ts";
import { decodeMlsMessage, proposalReference } from "#shared/mls/mls-message.ts";
import { decodeProposal } from "#shared/mls/proposal.ts";
import { type RemovalKeys, readRemovalKeys } from "#shared/mls/removal-keys.ts";
import { makeRemovalProposal } from "#shared/mls/removal-proposal.ts";
import type { Clock } from "#shared/platform/clock.ts";
import { StaleReadError } from "#shared/platform/data/conditions.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { timeAfter } from "./conversation.ts";
import type { ConversationJob } from "./conversation-job.ts";
import type { ConversationStore } from "./conversation-store.ts";
import { deliverMessage } from "./deliver-mls.ts";

interface ProposalDeps {
  readonly clock: Clock;
  readonly conversations: ConversationStore;
  readonly dynamo: DynamoDBDocumentClient;
  readonly events: EventPublisher;
  readonly groups: GroupStore;
  readonly secrets: SecretReader;
  readonly settings: Settings;
}

type Wish = Omit<Extract<ConversationJob, { job: "propose-removals" }>, "job">;

/** Each takes two of the 100 writes of a transaction, and its event goes to all devices. */
const maxProposals = 20;

/**
 * Propose to the MLS group of a conversation the removal of devices that do not belong there any more. They get nothing
 * from then on; a commit of any member removes them. May be repeated.
 *
 * @returns whether all is done; false when time ran out
 */
export async function proposeRemovals(deps: ProposalDeps, wish: Wish, isTimeUp: TimeLimit): Promise<boolean> {
  const keys = await readRemovalKeys(deps.secrets);
  while (!isTimeUp()) {
    const hasMore = await change(deps, () => proposeSome(deps, keys, wish));
    if (!hasMore) return true;
  }
  return false;
}

async function proposeSome(deps: ProposalDeps, keys: RemovalKeys, wish: Wish) {
  const { clock, conversations, groups } = deps;
  const { conversationId, from } = wish;
  const found = await conversations.getPopulated(conversationId);
  const { groupId, epoch = 0 } = found?.conversation.group ?? {};
  if (found === undefined || groupId === undefined || epoch === 0) return { result: false };
  const [group, pending] = await Promise.all([groups.get(groupId), groups.pendingProposals(groupId, epoch)]);
  if (group?.epoch !== epoch) throw new StaleReadError(`MLS group ${groupId}`);
  const members = new Set(found.members.map(({ userId }) => userId));
  const indices = leavesToPropose(group, pending, isUnwanted(wish, members));
  const batch = indices.slice(0, maxProposals);
  if (batch.length === 0) return { result: false };

  const leaves = markLeaving(group.leaves, batch);
  const proposals = batch.map((leafIndex) => propose(group, leafIndex, keys));
  const { parts, writes, cleanUp } = groups.proposeRemovals(
    group,
    leaves,
    proposals.map(({ stored }) => stored),
  );
  const time = timeAfter(found.conversation, clock());
  const messages = proposals.flatMap(({ bytes, leafIndex }) => {
    const userId = from ?? group.leaves.get(leafIndex)?.userId ?? "";
    return deliverMessage(deps, { conversationId, actor: { userId }, time, leaves, bytes });
  });
  return {
    parts: [parts],
    writes,
    messages,
    afterCommit: cleanUp,
    result: indices.length > batch.length,
  };
}

/** Decides whether a device does not belong into a group. */
const isUnwanted =
  ({ userIds, device }: Wish, members: ReadonlySet<string>) =>
  ({ userId, clientId }: Leaf): boolean =>
    (userId === device?.userId && clientId === device.clientId) ||
    (!members.has(userId) && (userIds?.includes(userId) ?? device === undefined));

/** Leaves to remove for which this epoch has no proposal of the service. */
function leavesToPropose(
  { leaves }: Group,
  pending: readonly PendingProposal[],
  isUnwantedLeaf: (leaf: Leaf) => boolean,
): number[] {
  const proposed = new Set(
    pending
      .filter(({ isOfService }) => isOfService)
      .map(({ proposal }) => decodeProposal(Buffer.from(proposal)))
      .map((proposal) => (proposal.kind === "remove" ? proposal.leafIndex : undefined)),
  );
  return [...leaves]
    .filter(([index, leaf]) => !proposed.has(index) && (leaf.isLeaving || isUnwantedLeaf(leaf)))
    .map(([index]) => index);
}

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
 * @returns undefined when all is done, otherwise the conversation after which to go on
 */
export async function removeDeviceFromGroups(
  deps: ProposalDeps,
  { after, ...device }: Omit<Extract<ConversationJob, { job: "remove-device" }>, "job">,
  isTimeUp: TimeLimit,
): Promise<{ readonly after: string | undefined } | undefined> {
  for (let last = after; ; ) {
    const page = await deps.conversations.listOfUser(device.userId, { after: last, limit: pageSize });
    for (const { conversationId } of page) {
      const wish = { conversationId, userIds: [], device };
      if (isTimeUp() || !(await proposeRemovals(deps, wish, isTimeUp))) return { after: last };
      last = conversationId;
    }
    if (page.length < pageSize) return undefined;
  }
}

/** Conversations read at a time. */
const pageSize = 100;
