import { subconversationReset } from "#shared/conversations/reset-subconversation.ts";
import type { Subconversation } from "#shared/conversations/subconversation.ts";
import { maxSubconversations } from "#shared/conversations/subconversation-store.ts";
import { devicesByUser } from "#shared/devices/mls/leaves.ts";
import { chunks } from "#shared/platform/chunks.ts";
import { combine } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";
import type { CommitPlan } from "./commit-plan.ts";
import type { CommitSubject } from "./commit-subject.ts";
import { protocolError } from "./protocol-error.ts";

type RoomDeps = Pick<Deps, "groups" | "outbox" | "subconversations">;

/**
 * Count the subconversation that a commit begins, if it does. At the limit, the least recently changed subconversation
 * with at most one user is ended, because nobody talks there.
 *
 * @throws ApiError `mls-protocol-error` when all others are in use
 */
export async function makeRoom(
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
