import type * as z from "zod";
import { AnswerList } from "#shared/platform/http/answer-size.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers, Provisioner } from "#shared/platform/http/route.ts";
import { selectAttributes } from "../attribute-selection.ts";
import type { Deps } from "../deps.ts";
import { parseFilter } from "../parse-filter.ts";
import { toScimList } from "../scim-list.ts";
import { createUser } from "./create-user.ts";
import { deleteUser } from "./delete-user.ts";
import { findUser } from "./find-user.ts";
import { getUser } from "./get-user.ts";
import { listUsers } from "./list-users.ts";
import { patchUser } from "./patch/patch-user.ts";
import { replaceUser } from "./replace-user.ts";
import type { routes } from "./routes.ts";
import { coreSchema, type UserView, type userSearchRequest } from "./routes.ts";
import { parseScimUser } from "./scim-user.ts";

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
