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
 * Count the subconversation that a commit begins, if it does. If the conversation has as many as it may have, the one
 * that changed least recently among those that a single user is in, or nobody, makes room: nobody talks there.
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

/** Groups that are read at a time: the first ones are nearly always among those that nobody uses. */
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
