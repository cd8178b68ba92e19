import type { CellsState } from "#shared/conversations/conversation.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import type { Deps } from "../deps.ts";

/**
 * Set whether the Cells integration gets the events of a conversation. The conversation must belong to a team with the
 * feature. Sends no event to members.
 *
 * @throws ApiError `no-conversation`, `invalid-op`
 * @see operation `put-conversation-cells-state`
 */
export async function changeCellsState(
  deps: Deps,
  { conversationId, cellsState }: { conversationId: string; cellsState: CellsState },
): Promise<void> {
  const { conversations } = deps;
  await change(deps, async () => {
    const conversation = await conversations.get(conversationId);
    if (conversation === undefined) throw new ApiError("no-conversation");
    const conditions = cellsState === "disabled" ? [] : await requireCells(deps, conversation.teamId);
    if (conversation.cellsState === cellsState) return undefined;
    const { writes } = conversations.change(conversation, { fields: { cellsState } });
    return { writes: [...writes, ...conditions] };
  });
}

/** @throws ApiError `invalid-op` unless the team has the feature */
async function requireCells(
  { features, settings }: Pick<Deps, "features" | "settings">,
  teamId: string | undefined,
): Promise<Write[]> {
  const ofTeam = teamId === undefined ? undefined : await features.get(teamId);
  if (ofTeam === undefined || !hasFeature("cells", ofTeam, settings)) throw new ApiError("invalid-op");
  return [features.requireUnchanged(ofTeam)];
}
