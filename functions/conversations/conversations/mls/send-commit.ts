import type * as z from "zod";
import { announceMembers } from "#shared/conversations/announce.ts";
import type { Conversation, GroupState } from "#shared/conversations/conversation.ts";
import { orderConversationJob, orderRemovalProposals } from "#shared/conversations/conversation-job.ts";
import { deliverMessage, deliverWelcome, entitledDevices } from "#shared/conversations/deliver-mls.ts";
import {
  type CommitRest,
  followCommit,
  type GroupMembers,
  maxMembersOfCommit,
  membersAfter,
  newMember,
} from "#shared/conversations/follow-commit.ts";
import { changeLeaves, type Leaves } from "#shared/devices/mls/leaves.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { type Change, change } from "#shared/platform/messaging/change.ts";
import type { OutboxMessage, RevocableMessage } from "#shared/platform/messaging/outbox.ts";
import type { Deps } from "../deps.ts";
import { orderSettlement } from "../legal-hold.ts";
import { type CommitBundle, readBundle } from "./commit-bundle.ts";
import type { CommitPlan, MemberChange } from "./commit-members.ts";
import { type CommitSubject, readSubject } from "./commit-subject.ts";
import { planExternalCommit } from "./external-commit.ts";
import { planMemberCommit } from "./member-commit.ts";
import { protocolError } from "./protocol-error.ts";
import type { sendingStatus } from "./routes.ts";
import { sendingDevice } from "./target.ts";
import { verifyGroupInfo } from "./verify.ts";

/** The outcome of a commit. */
export interface Committed {
  readonly events: z.input<typeof sendingStatus>["events"];
  /** Unix milliseconds. */
  readonly time: number;
}

/**
 * Begin the next epoch of a group. Of several commits for one epoch, one succeeds; epoch, conversation and events are
 * one transaction, so a crash leaves all of them or none.
 *
 * @throws ApiError as the route lists; the order of the checks is part of the interface
 * @see operation `mls-commit-bundle`
 */
export async function sendCommit(
  deps: Deps,
  { actor, bytes }: { actor: Actor; bytes: Buffer },
): Promise<Committed> {
  const device = sendingDevice(actor);
  const bundle = readBundle(bytes);
  const { committed, following } = await change(deps, async () => {
    const subject = await readSubject(deps, { device, bundle });
    const plan = await planCommit(deps, subject, bundle);
    verifyGroupInfo(bundle.groupInfo, { ...subject, ...plan, message: bundle.message });
    return carryOut(deps, { actor, subject, plan, bundle });
  });
  return following === undefined ? committed : { ...committed, events: await following() };
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

/** The work after the commit and before its answer. @returns events of all who have joined and left */
type Following = () => Promise<Committed["events"]>;

function carryOut(
  deps: Deps,
  {
    actor,
    subject,
    plan,
    bundle,
  }: { actor: Actor; subject: CommitSubject; plan: CommitPlan; bundle: CommitBundle },
): Change & { readonly result: { committed: Committed; following: Following | undefined } } {
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
  const joining = plan.joining.slice(0, maxMembersOfCommit);
  const leaving = plan.leaving.slice(0, maxMembersOfCommit - joining.length);
  const later = new Set(plan.joining.slice(joining.length));
  const state = { groupId, epoch, epochChangedAt: now, cipherSuite: suiteNumber };
  const { next, time, writes } = changePlace(deps, subject, { state, joining, leaving });

  const delivery = { conversationId, subconversationId, actor, time, sender: device };
  // Events with the same time keep the order in which they are created.
  const message = deliverMessage(deps, {
    ...delivery,
    leaves: entitledDevices(group?.leaves ?? new Map(), subject),
    bytes: bundle.message.bytes,
  });
  const announced = announceMembers(deps, { conversation: next, actor, members, joining, leaving });
  const welcome =
    bundle.welcome === undefined
      ? []
      : deliverWelcome(deps, {
          ...delivery,
          added: plan.added.filter(({ userId }) => !later.has(userId)),
          bytes: bundle.welcome,
        });
  const rest = {
    conversationId,
    groupId,
    actor,
    joining: [...later],
    leaving: plan.leaving.slice(leaving.length),
    welcome: bundle.welcome?.toString("base64"),
  };
  const isPartial = rest.joining.length + rest.leaving.length > 0;
  const job = isPartial
    ? orderConversationJob(outbox, { job: "follow-commit", ...rest }, { isDeferred: true })
    : undefined;
  const before = { conversation: next, actor, members };
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
      ...(job === undefined ? [] : [job]),
      ...orderSettlement(deps, conversationId, plan.statuses),
      ...(plan.room?.messages ?? []),
      ...orderRemovalProposals(outbox, next, leaving),
      ...reissue(deps, { conversationId, subconversationId, leaves, userId: actor.userId }),
    ],
    afterCommit: () => cleanUp(deps, groupId, advance.cleanUp),
    result: {
      committed: { events: announced.events, time },
      following:
        job &&
        (async () => {
          const known = { conversation: next, members: membersAfter(before, { joining, leaving }), leaves };
          const others = await followNow(deps, { rest, known, job });
          return announceMembers(deps, {
            ...before,
            joining: [...joining, ...others.joining],
            leaving: [...leaving, ...others.leaving],
          }).events;
        }),
    },
  };
}

/** After an external commit, the service has to repeat its proposals in the next epoch. */
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
  const newcomers = joining.map((userId) => ({ conversationId, ...newMember(userId) }));
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

/** Nobody finds what remains, and it is removed with the group. */
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

/** How long a request adds the users who do not fit into the commit's transaction. */
const followSeconds = 10;

/**
 * Make the remaining users members before the commit is answered: the answer names them, and otherwise they would be
 * told of a conversation that they cannot read. The job does whatever fails or takes too long.
 *
 * @param job starts a minute later unless it is revoked
 * @returns who has joined and left
 */
async function followNow(
  deps: Deps,
  { rest, known, job }: { rest: CommitRest; known: GroupMembers; job: RevocableMessage },
): Promise<MemberChange> {
  const { clock, dynamo, log, outbox } = deps;
  const until = clock() + followSeconds * 1000;
  const joining: string[] = [];
  const leaving: string[] = [];
  try {
    for await (const part of followCommit(deps, rest, { known, atEnd: [job.revoke] })) {
      joining.push(...part.joined);
      leaving.push(...part.left);
      if (part.isLast || clock() < until) continue;
      const sooner = orderConversationJob(outbox, { job: "follow-commit", ...rest });
      await change(deps, async () => ({ writes: [job.revoke], messages: [sooner] }));
      break;
    }
    await job.parts?.discard(dynamo);
  } catch (error) {
    log.warn("commit-not-followed", { groupId: rest.groupId, error: error as Error });
  }
  return { joining, leaving };
}
