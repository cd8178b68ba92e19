import type * as z from "zod";
import { announceMembers } from "#shared/conversations/announce-members.ts";
import type { Conversation, GroupState } from "#shared/conversations/conversation.ts";
import { orderConversationJob, orderRemovalProposals } from "#shared/conversations/conversation-job.ts";
import { deliverMessage, deliverWelcome, entitledDevices } from "#shared/conversations/deliver-mls.ts";
import { changeLeaves, type Leaves } from "#shared/devices/mls/leaves.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { type Change, change } from "#shared/platform/messaging/change.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { Deps } from "../deps.ts";
import { orderSettlement } from "../legal-hold.ts";
import { type CommitBundle, readBundle } from "./commit-bundle.ts";
import type { CommitPlan } from "./commit-plan.ts";
import { type CommitSubject, readSubject } from "./commit-subject.ts";
import { planExternalCommit } from "./external-commit.ts";
import { planMemberCommit } from "./member-commit.ts";
import { protocolError } from "./protocol-error.ts";
import type { sendingStatus } from "./schemas.ts";
import { sendingDevice } from "./target.ts";
import { verifyGroupInfo } from "./verify.ts";

/** The outcome of a commit. */
export interface Committed {
  readonly events: z.input<typeof sendingStatus>["events"];
  /** Unix milliseconds. */
  readonly time: number;
}

/**
 * Begin the next epoch of a group. Of several commits for one epoch, one succeeds; the transaction has the epoch, the
 * record of the conversation and its events, so that a crash leaves either all or nothing of it.
 *
 * @throws ApiError as the route lists; the order of the checks is part of the interface
 * @see operation `mls-commit-bundle`
 */
export function sendCommit(
  deps: Deps,
  { actor, bytes }: { actor: Actor; bytes: Buffer },
): Promise<Committed> {
  const device = sendingDevice(actor);
  const bundle = readBundle(bytes);
  return change(deps, async () => {
    const subject = await readSubject(deps, { device, bundle });
    const plan = await planCommit(deps, subject, bundle);
    verifyGroupInfo(bundle.groupInfo, { ...subject, ...plan, message: bundle.message });
    return carryOut(deps, { actor, subject, plan, bundle });
  });
}

function planCommit(deps: Deps, subject: CommitSubject, bundle: CommitBundle): Promise<CommitPlan> {
  const { sender } = bundle.message;
  switch (sender.type) {
    case "member":
      return planMemberCommit(deps, subject, bundle, sender.leafIndex);
    case "new-member-commit":
      return planExternalCommit(deps, subject, bundle);
    default:
      throw protocolError("Only members and new members commit");
  }
}

/**
 * Users who join or leave in the transaction of the commit: each takes two of its 100 writes. A job does the rest.
 */
const maxMembers = 40;

function carryOut(
  deps: Deps,
  {
    actor,
    subject,
    plan,
    bundle,
  }: { actor: Actor; subject: CommitSubject; plan: CommitPlan; bundle: CommitBundle },
): Change & { readonly result: Committed } {
  const { clock, groups, outbox } = deps;
  const { conversation, subconversation, device, group, groupId, members, pending, suiteNumber } = subject;
  const { conversationId } = conversation;
  const { subconversationId } = subconversation ?? {};
  const { context, confirmationTag } = bundle.groupInfo;
  const epoch = (group?.epoch ?? 0) + 1;
  const now = clock();
  const leaves = changeLeaves(plan.leaves, plan);
  const advance = groups.advance(
    group,
    {
      groupId,
      conversationId,
      epoch,
      epochChangedAt: now,
      cipherSuite: suiteNumber,
      leaves,
      groupContext: new Uint8Array(context.bytes),
      confirmationTag: new Uint8Array(confirmationTag),
      confirmedTranscriptHash: new Uint8Array(context.confirmedTranscriptHash),
      groupInfo: bundle.groupInfoBytes,
    },
    pending,
  );
  const joining = plan.joining.slice(0, maxMembers);
  const leaving = plan.leaving.slice(0, maxMembers - joining.length);
  const state = { groupId, epoch, epochChangedAt: now, cipherSuite: suiteNumber };
  const { next, time, writes } = changePlace(deps, subject, { state, joining, leaving });

  const delivery = { conversationId, subconversationId, actor, time, sender: device };
  // Events of one time keep the order in which they are created.
  const message = deliverMessage(deps, {
    ...delivery,
    leaves: entitledDevices(group?.leaves ?? new Map(), subject),
    bytes: bundle.message.bytes,
  });
  const announced = announceMembers(deps, { conversation: next, actor, members, joining, leaving });
  const welcome =
    bundle.welcome === undefined
      ? []
      : deliverWelcome(deps, { ...delivery, added: plan.added, bytes: bundle.welcome });
  const rest = {
    joining: plan.joining.slice(joining.length),
    leaving: plan.leaving.slice(leaving.length),
  };
  const isPartial = rest.joining.length + rest.leaving.length > 0;
  return {
    parts: [advance.parts],
    writes: [
      ...writes,
      advance.write,
      ...groups.readmit(group, leaves),
      ...plan.conditions,
      ...(plan.room?.writes ?? []),
    ],
    messages: [
      ...message,
      ...announced.messages,
      ...welcome,
      ...(isPartial
        ? [orderConversationJob(outbox, { job: "follow-commit", conversationId, groupId, actor, ...rest })]
        : []),
      ...orderSettlement(deps, conversationId, plan.statuses),
      ...(plan.room?.messages ?? []),
      ...orderRemovalProposals(outbox, next, leaving),
      ...reissue(deps, { conversationId, subconversationId, leaves, userId: actor.userId }),
    ],
    afterCommit: () => cleanUp(deps, groupId, advance.cleanUp),
    result: {
      events: isPartial
        ? announceMembers(deps, { conversation: next, actor, members, ...plan }).events
        : announced.events,
      time,
    },
  };
}

/** Users whom a commit adds may do nothing but leave. */
const toMember = (userId: string) => ({ userId, role: "member" as const });

/** An external commit leaves proposals of the service open, which the next epoch needs again. */
const reissue = (
  { outbox }: Pick<Deps, "outbox">,
  {
    leaves,
    userId,
    ...place
  }: { conversationId: string; subconversationId: string | undefined; leaves: Leaves; userId: string },
): OutboxMessage[] =>
  [...leaves.values()].some(({ isLeaving }) => isLeaving)
    ? [orderConversationJob(outbox, { job: "propose-removals", ...place, userIds: [], from: userId })]
    : [];

/** @returns the conversation after the commit, and the time of its event */
function changePlace(
  { conversations, subconversations }: Pick<Deps, "conversations" | "subconversations">,
  { conversation, subconversation, device: { userId: ownId }, isNew }: CommitSubject,
  { state, joining, leaving }: { state: GroupState; joining: readonly string[]; leaving: readonly string[] },
): { next: Conversation; time: number; writes: Write[] } {
  const { conversationId } = conversation;
  if (subconversation !== undefined) {
    const { next, writes } = subconversations.change(subconversation, state);
    const isMember = conversations.requireMember({ conversationId, userId: ownId });
    return { next: conversation, time: next.changedAt, writes: [...writes, ...isMember] };
  }
  const newcomers = joining.map((userId) => ({ conversationId, ...toMember(userId) }));
  if (isNew) {
    const next = { ...conversation, group: state };
    return { next, time: next.changedAt, writes: conversations.create(next, newcomers) };
  }
  const { next, writes } = conversations.change(conversation, {
    fields: { group: state },
    joining: newcomers,
    leaving: leaving.map((userId) => ({ conversationId, userId })),
  });
  return { next, time: next.changedAt, writes };
}

/** What remains is found by nobody, and removed with the group. */
async function cleanUp(
  { log }: Pick<Deps, "log">,
  groupId: string,
  remove: () => Promise<void>,
): Promise<void> {
  try {
    await remove();
  } catch (error) {
    log.warn("mls-clean-up-failed", { groupId, error: error as Error });
  }
}
