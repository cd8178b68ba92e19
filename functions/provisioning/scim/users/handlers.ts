import type * as z from "zod";
import { type Account, currentStatus } from "#shared/accounts/account.ts";
import { deleteAccount } from "#shared/accounts/delete-account.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { AnswerList } from "#shared/platform/http/answer-size.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers, Provisioner } from "#shared/platform/http/route.ts";
import { withFields } from "#shared/provisioning/scim-rich-info.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { selectAttributes } from "../attribute-selection.ts";
import type { Deps } from "../deps.ts";
import { parseFilter } from "../parse-filter.ts";
import { toScimList } from "../scim-list.ts";
import { isAdopted, readAndAdopt } from "./adopt-user.ts";
import { createUser } from "./create-user.ts";
import { findUser } from "./find-user.ts";
import { type Edit, readOperations } from "./patch/read-operations.ts";
import { renderUser } from "./render-user.ts";
import { replaceUser } from "./replace-user.ts";
import { coreSchema, type routes, type UserView, type userSearchRequest } from "./routes.ts";
import { parseScimUser, type ScimUser } from "./scim-user.ts";
import { answerLastOwner, protectOwners, readTeamUser } from "./team-user.ts";

const filterGrammar = {
  schema: coreSchema,
  attributes: { userName: ["eq"], externalId: ["eq"] },
} as const;

type Search = z.output<typeof userSearchRequest>;

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { accounts, settings } = deps;

  async function find(actor: Provisioner, query: Search) {
    if (query.filter === undefined) {
      if (!settings.scim.listsUsers) throw new ApiError("scim-too-many");
      const { users, total } = await listUsers(deps, actor, query);
      const page = new AnswerList<UserView>();
      for (const user of users) if (!page.add(selectAttributes(user, query))) break;
      return toScimList(page.items, { startIndex: query.startIndex, totalResults: total });
    }
    const found = await findUser(deps, actor, parseFilter(query.filter, filterGrammar));
    return toScimList(found === undefined ? [] : [selectAttributes(found, query)]);
  }

  return {
    "scim-create-user": async ({ actor, body }) => ({
      body: await createUser(deps, actor, parseScimUser(body, settings)),
    }),
    "scim-create-user-with-id": async ({ actor, body }) => ({
      body: await createUser(deps, actor, parseScimUser(body, settings)),
    }),

    "scim-find-users": async ({ actor, query }) => ({ body: await find(actor, query) }),

    "scim-search-users": async ({ actor, body }) => ({ body: await find(actor, body) }),

    "scim-get-user": async ({ actor, params, query }) => ({
      body: selectAttributes(await getUser(deps, actor, params.id), query),
    }),

    "scim-replace-user": async ({ actor, params, body }) => {
      const wanted = parseScimUser(body, settings);
      return { body: await replaceUser(deps, actor, params.id, () => wanted) };
    },

    "scim-patch-user": async ({ actor, params, body }) => ({
      body: await patchUser(deps, actor, { userId: params.id, body }),
    }),

    "scim-delete-user": async ({ actor, params }) => {
      await deleteUser(deps, actor, params.id);
      return {};
    },

    "i-scim-get-user-info": async ({ params }) => {
      const account = await accounts.get(params.user);
      if (account === undefined || account.status === "deleted") throw new ApiError("not-found");
      const created = account.scim?.createdAt;
      return {
        body: {
          id: account.userId,
          created_on: created === undefined ? undefined : new Date(created).toISOString(),
        },
      };
    },
  };
}

/**
 * Delete a user of a directory's team: the account ends with the membership. Does nothing for anybody else.
 *
 * @throws ApiError `scim-forbidden` (an owner)
 * @see operation `scim-delete-user`
 */
async function deleteUser(deps: Deps, provisioner: Provisioner, userId: string): Promise<void> {
  const user = await readTeamUser(deps, provisioner, userId);
  if (user === undefined) return;
  protectOwners(user);
  const { account } = user;
  const conditions = account.status === "pending-invitation" ? () => withdrawal(deps, account) : undefined;
  await deleteAccount(deps, account.userId, { conditions }).catch(answerLastOwner);
}

/** Creates the writes that remove a pending invitation. */
async function withdrawal({ invitations }: Deps, { teamId = "", userId }: Account): Promise<Write[]> {
  const invitation = await invitations.get({ teamId, invitationId: userId });
  if (invitation === undefined) return [];
  const state = await invitations.readState(invitation);
  return invitations.isIn(invitation, state) ? invitations.remove(invitation, state) : [];
}

/**
 * Read a user of a directory's team by id; a member whom no directory manages yet is adopted.
 *
 * @throws ApiError `scim-not-found`; what `readAndAdopt` throws
 * @see operation `scim-get-user`
 */
async function getUser(deps: Deps, provisioner: Provisioner, userId: string): Promise<UserView> {
  const user = await readAndAdopt(deps, provisioner, userId);
  if (user === undefined) throw new ApiError("scim-not-found");
  return renderUser(deps, user);
}

/** A page of the users whom the directory of a team manages. */
interface UserPage {
  readonly users: readonly UserView[];
  /** Number of users on all pages; includes invitees whose invitation has expired until they are deleted. */
  readonly total: number;
}

/**
 * List the users of a team whom a directory has created or adopted, in the order of their external ids. Unlike a
 * search, this adopts nobody.
 *
 * @param page.startIndex counted from 1
 * @see operation `scim-find-users`
 */
async function listUsers(
  deps: Deps,
  { teamId }: Pick<Provisioner, "teamId">,
  { startIndex, count }: { readonly startIndex: number; readonly count: number },
): Promise<UserPage> {
  const { accounts, clock, richInfo, teams } = deps;
  const userIds: string[] = [];
  for await (const { userId } of accounts.claimsByDirectory(teamId)) userIds.push(userId);
  const wanted = userIds.slice(startIndex - 1, startIndex - 1 + count);
  const [people, members, infos] = await Promise.all([
    accounts.getMany(wanted),
    teams.getMembers(teamId, wanted),
    richInfo.getMany(wanted),
  ]);
  const byId = new Map(people.map((account) => [account.userId, account]));
  const memberById = new Map(members.map((member) => [member.userId, member]));
  const users = wanted.flatMap((userId) => {
    const account = byId.get(userId);
    if (account?.teamId !== teamId || !isAdopted(account)) return [];
    if (currentStatus(account, clock()) === "deleted") return [];
    return [renderUser(deps, { account, member: memberById.get(userId), richInfo: infos.get(userId) })];
  });
  return { users, total: userIds.length };
}

/**
 * Change some attributes of a user: all operations take effect or none, and the result is checked and stored as if the
 * whole user had been replaced.
 *
 * @throws ApiError those of `readOperations` and of `replaceUser`
 * @see operation `scim-patch-user`
 */
async function patchUser(
  deps: Deps,
  provisioner: Provisioner,
  { userId, body }: { readonly userId: string; readonly body: Readonly<Record<string, unknown>> },
): Promise<UserView> {
  const edits = readOperations(body, deps.settings);
  return replaceUser(deps, provisioner, userId, (present) => applyEdits(present, edits, deps.settings));
}

/** The user after all edits, in order. */
export function applyEdits(present: ScimUser, edits: readonly Edit[], settings: Settings): ScimUser {
  const user = { ...present };
  for (const { attributes, appliesTo } of edits)
    if (attributes !== undefined && appliesTo?.(user) !== false) Object.assign(user, attributes);
  const cleared = edits.findLastIndex(({ clearsFields }) => clearsFields);
  const fields = edits.slice(cleared + 1).flatMap(({ field }) => field ?? []);
  return {
    ...user,
    richInfo: withFields(cleared === -1 ? present.richInfo : undefined, fields, settings),
  };
}
