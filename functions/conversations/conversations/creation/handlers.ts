import type * as z from "zod";
import { type AccessRole, access, accessRole } from "#shared/conversations/conversation.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import {
  type conversationViewOfOutsider,
  toConversationView,
  toConversationViewOfOutsider,
  toConversationViewV3,
} from "#shared/conversations/conversation-view.ts";
import { mlsOneToOneConversationId } from "#shared/conversations/derived-ids.ts";
import { newConversation } from "#shared/conversations/new-conversation.ts";
import { readRemovalKeys, toRemovalKeysView } from "#shared/devices/mls/removal-keys.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { checkAcquainted, readCandidates } from "../candidates.ts";
import type { Deps } from "../deps.ts";
import { requestedRole } from "../requested-role.ts";
import { type QualifiedUser, remoteDomains, usersInRequest } from "../users-in-request.ts";
import { createGroup } from "./create-group.ts";
import { createOneToOne } from "./create-one-to-one.ts";
import type { NewGroup } from "./new-group.ts";
import type { routes } from "./routes.ts";
import type * as schemas from "./schemas.ts";
import {
  type EnsuredConversation,
  ensureMlsSelfConversation,
  ensureSelfConversation,
} from "./self-conversations.ts";

type GroupBody = z.output<typeof schemas.newGroup>;
type ToView<View> = (populated: PopulatedConversation, userId: string, settings: Settings) => View;

const defaultAccessRoles: readonly AccessRole[] = ["team_member", "non_team_member", "service"];

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { secrets, settings } = deps;

  const answerEnsured = <View>(found: EnsuredConversation, { userId }: Actor, toView: ToView<View>) =>
    ({
      status: found.isNew ? 201 : 200,
      headers: { location: found.conversation.conversationId },
      body: toView(found, userId, settings),
    }) as const;

  return {
    "create-group-conversation@v9": async ({ actor, body }) => {
      const users = usersInRequest(body, settings);
      const domains = remoteDomains(users, settings);
      if (domains.length > 0) return { status: 533, body: { unreachable_backends: domains } };
      const created = await createGroup(deps, toNewGroup({ actor, users, body }, settings));
      return {
        status: 201,
        headers: { location: created.conversation.conversationId },
        body: { ...toViewForCreator(created, actor.userId, settings), failed_to_add: [] },
      };
    },

    "create-one-to-one-conversation": async ({ actor, body: { name, team, ...body } }) => {
      const found = await createOneToOne(deps, {
        actor,
        users: usersInRequest(body, settings),
        name: name ?? undefined,
        teamId: team?.teamid,
      });
      return answerEnsured(found, actor, (...shown) => toConversationViewV3(toConversationView(...shown)));
    },

    "create-self-conversation": async ({ actor }) =>
      answerEnsured(await ensureSelfConversation(deps, actor.userId), actor, toConversationView),

    "get-mls-self-conversation": async ({ actor: { userId } }) => ({
      body: toConversationView(await ensureMlsSelfConversation(deps, userId), userId, settings),
    }),

    "get-one-to-one-mls-conversation": async ({ actor: { userId }, params, query }) => {
      const peer = { domain: params.usr_domain, id: params.usr };
      const [populated, keys] = await Promise.all([
        getMlsOneToOne(deps, { userId, peer }),
        readRemovalKeys(secrets),
      ]);
      const conversation = toConversationView(populated, userId, settings);
      return { body: { conversation, public_keys: toRemovalKeysView(keys, query.format) } };
    },
  };
}

/** Show a new group to its creator, who need not be a member. */
const toViewForCreator: ToView<z.input<typeof conversationViewOfOutsider>> = (populated, userId, settings) =>
  populated.conversation.creator === undefined
    ? toConversationViewOfOutsider(populated, settings)
    : toConversationView(populated, userId, settings);

function toNewGroup(
  { actor, users, body }: { actor: Actor; users: readonly QualifiedUser[]; body: GroupBody },
  settings: Settings,
): NewGroup {
  const { conversation_role: role } = body;
  const ways = access.options.filter((way) => body.access?.includes(way));
  const roles = body.access_role ?? defaultAccessRoles;
  return {
    actor,
    userIds: users.map(({ id }) => id).filter((id) => id !== actor.userId),
    role: role ? requestedRole(role, settings) : "admin",
    groupType: body.group_conv_type ?? "group_conversation",
    protocol: body.protocol ?? "proteus",
    access: ways.length === 0 ? ["invite"] : ways,
    accessRoles: accessRole.options.filter((option) => roles.includes(option)),
    name: body.name ?? undefined,
    teamId: body.team?.teamid,
    messageTimer: body.message_timer ?? undefined,
    receiptMode: body.receipt_mode ?? undefined,
    addPermission: body.add_permission ?? undefined,
    hasCells: body.cells ?? false,
    skipsCreator: body.skip_creator ?? false,
  };
}

/**
 * Get the MLS conversation of two users, which is not stored until the first commit of its group.
 *
 * @throws ApiError `not-connected`, also when one user blocks the other
 * @see operations `get-one-to-one-mls-conversation`
 */
async function getMlsOneToOne(
  deps: Deps,
  { userId, peer }: { userId: string; peer: QualifiedUser },
): Promise<PopulatedConversation> {
  const { conversations, settings } = deps;
  if (!isLocalDomain(peer.domain, settings) || peer.id === userId) throw new ApiError("not-connected");
  const conversationId = mlsOneToOneConversationId(userId, peer.id, settings.domain);
  const [candidates, found] = await Promise.all([
    readCandidates(deps, { userId, candidateIds: [peer.id] }),
    conversations.getPopulated(conversationId),
  ]);
  checkAcquainted(candidates, [peer.id]);
  if (found === undefined)
    return newConversation(
      { conversationId, type: "one-to-one", protocol: "mls", members: [{ userId, role: "member" }] },
      deps,
    );
  // The block dates from before the users shared a team.
  if (!found.members.some((member) => member.userId === userId)) throw new ApiError("not-connected");
  return found;
}
