import type * as z from "zod";
import { type AccessRole, access, accessRole } from "#shared/conversations/conversation.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import {
  type conversationViewOfOutsider,
  toConversationView,
  toConversationViewOfOutsider,
  toConversationViewV2,
  toConversationViewV3,
} from "#shared/conversations/conversation-view.ts";
import { accessRolesOf } from "#shared/conversations/legacy-access-role.ts";
import { readRemovalKeys } from "#shared/mls/removal-keys.ts";
import { type KeyFormat, toRemovalKeysView } from "#shared/mls/removal-keys-view.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deps } from "../deps.ts";
import { requestedRole } from "../requested-role.ts";
import { type QualifiedUser, remoteDomains, usersInRequest } from "../users-in-request.ts";
import { createGroup } from "./create-group.ts";
import { createOneToOne } from "./create-one-to-one.ts";
import { getMlsOneToOne } from "./get-mls-one-to-one.ts";
import type { NewGroup } from "./new-group.ts";
import type { routes } from "./routes.ts";
import type * as schemas from "./schemas.ts";
import { type Ensured, ensureMlsSelfConversation, ensureSelfConversation } from "./self-conversations.ts";

type GroupBody = z.output<typeof schemas.newGroup>;
type GroupBodyV2 = z.output<typeof schemas.newGroupV2>;
type OneToOneBody = z.output<typeof schemas.newOneToOne>;
type View<Shown> = (populated: PopulatedConversation, userId: string, settings: Settings) => Shown;

const defaultAccessRoles: readonly AccessRole[] = ["team_member", "non_team_member", "service"];

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { secrets, settings } = deps;

  const show = <Shown>(populated: PopulatedConversation, { userId }: Actor, view: View<Shown>) => ({
    headers: { location: populated.conversation.conversationId },
    body: view(populated, userId, settings),
  });
  const answerEnsured = <Shown>(found: Ensured, actor: Actor, view: View<Shown>) =>
    ({ status: found.isNew ? 201 : 200, ...show(found, actor, view) }) as const;

  async function create<Shown>(actor: Actor, body: GroupBody, view: View<Shown>) {
    const users = usersInRequest(body, settings);
    const domains = remoteDomains(users, settings);
    if (domains.length > 0) return { status: 533, body: { unreachable_backends: domains } } as const;
    const created = await createGroup(deps, toNewGroup({ actor, users, body }, settings));
    const { headers, body: shown } = show(created, actor, view);
    return { status: 201 as const, headers, body: { ...shown, failed_to_add: [] } };
  }

  /** Before version 4, the refusal because of other domains does not name them. */
  async function createV0<Shown>(actor: Actor, body: GroupBody, view: View<Shown>) {
    const users = usersInRequest(body, settings);
    if (remoteDomains(users, settings).length > 0) throw new ApiError("federation-connection-refused");
    return show(await createGroup(deps, toNewGroup({ actor, users, body }, settings)), actor, view);
  }

  const oneToOne = (actor: Actor, { name, team, ...body }: OneToOneBody) =>
    createOneToOne(deps, {
      actor,
      users: usersInRequest(body, settings),
      name: name ?? undefined,
      teamId: team?.teamid,
    });

  async function mlsOneToOne({ userId }: Actor, peer: QualifiedUser, format: KeyFormat = "raw") {
    const [populated, keys] = await Promise.all([
      getMlsOneToOne(deps, { userId, peer }),
      readRemovalKeys(secrets),
    ]);
    const conversation = toConversationView(populated, userId, settings);
    return { body: { conversation, public_keys: toRemovalKeysView(keys, format) } };
  }
  const peerOf = ({ usr_domain: domain, usr: id }: z.output<typeof schemas.userPath>) => ({ domain, id });

  return {
    "create-group-conversation@v9": ({ actor, body }) => create(actor, body, toViewForCreator),
    "create-group-conversation": ({ actor, body }) => create(actor, body, toConversationView),
    "create-group-conversation-v6": ({ actor, body }) => create(actor, body, toConversationView),
    "create-group-conversation-v4": ({ actor, body }) => create(actor, body, toConversationViewV3),
    "create-group-conversation-v3": ({ actor, body }) => createV0(actor, body, toConversationViewV3),
    "create-group-conversation-v0": ({ actor, body }) =>
      createV0(actor, { ...body, access_role: accessRolesV2(body) }, toConversationViewV2),

    "create-one-to-one-conversation": async ({ actor, body }) =>
      answerEnsured(await oneToOne(actor, body), actor, toConversationViewV3),
    "create-one-to-one-conversation-v3": async ({ actor, body }) =>
      answerEnsured(await oneToOne(actor, body), actor, toConversationViewV3),
    "create-one-to-one-conversation-v0": async ({ actor, body }) =>
      answerEnsured(await oneToOne(actor, body), actor, toConversationViewV2),

    "create-self-conversation": async ({ actor }) =>
      answerEnsured(await ensureSelfConversation(deps, actor.userId), actor, toConversationView),
    "create-self-conversation-v3": async ({ actor }) =>
      answerEnsured(await ensureSelfConversation(deps, actor.userId), actor, toConversationViewV3),
    "create-self-conversation-v0": async ({ actor }) =>
      answerEnsured(await ensureSelfConversation(deps, actor.userId), actor, toConversationViewV2),

    "get-mls-self-conversation": async ({ actor: { userId } }) => ({
      body: toConversationView(await ensureMlsSelfConversation(deps, userId), userId, settings),
    }),
    "get-mls-self-conversation-v5": async ({ actor: { userId } }) => ({
      body: toConversationViewV3(await ensureMlsSelfConversation(deps, userId), userId, settings),
    }),

    "get-one-to-one-mls-conversation": ({ actor, params, query }) =>
      mlsOneToOne(actor, peerOf(params), query.format),
    "get-one-to-one-mls-conversation-v6": ({ actor, params }) => mlsOneToOne(actor, peerOf(params)),
    "get-one-to-one-mls-conversation-v5": async ({ actor: { userId }, params }) => ({
      body: toConversationViewV3(
        await getMlsOneToOne(deps, { userId, peer: peerOf(params) }),
        userId,
        settings,
      ),
    }),
  };
}

/** Show a new group to its creator, who need not be a member. */
const toViewForCreator: View<z.input<typeof conversationViewOfOutsider>> = (populated, userId, settings) =>
  populated.conversation.creator === undefined
    ? toConversationViewOfOutsider(populated, settings)
    : toConversationView(populated, userId, settings);

const accessRolesV2 = ({ access_role: legacy, access_role_v2: roles }: GroupBodyV2) =>
  roles ?? (legacy ? [...accessRolesOf(legacy)] : undefined);

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
