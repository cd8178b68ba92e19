import * as z from "zod";
import { cursorOf } from "#shared/platform/http/cursor.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { commaSeparated, uuid } from "#shared/platform/http/wire-types.ts";
import { role } from "#shared/teams/permissions.ts";
import { defaultSize, querySize, searchResult, sizeHint } from "../schemas.ts";

/** The last listed member. */
const cursor = z.strictObject({
  /** Order of the list, which gives the key its meaning. */
  order: z.string().max(30),
  /** The value that the order compares; null for a member without one. */
  key: z.union([z.number(), z.string()]).nullable(),
  userId: z.uuid(),
});

export const directoryCursor = cursorOf("directory", cursor);
export type DirectoryCursor = z.infer<typeof cursor>;

const teamPath = z.object({ tid: uuid.meta({ description: "Id of the team" }) });

/** Fields by which members can be sorted. */
export const sortFields = [
  "name",
  "handle",
  "email",
  "saml_idp",
  "managed_by",
  "role",
  "created_at",
] as const;

const browseQuery = z.object({
  q: z
    .string()
    .max(1024)
    .optional()
    .meta({ description: "Prefixes of words of the name, the handle or the email address" }),
  frole: commaSeparated(role, role.options.length)
    .optional()
    .meta({ description: "Roles of the members to find, separated by commas; absent: all" }),
  sortby: z
    .enum(sortFields)
    .optional()
    .meta({
      description: "Field to sort by; members without it come last",
      // Otherwise generators for Kotlin call a constant `name`, which every constant has already.
      "x-enum-varnames": sortFields.map((field) => `BY_${field.toUpperCase()}`),
    }),
  sortorder: z.enum(["asc", "desc"]).default("asc").meta({ description: "Only with `sortby`" }),
  size: querySize.default(defaultSize).meta(sizeHint),
  pagingState: directoryCursor.optional().meta({ description: "`paging_state` of the previous page" }),
});

export const routes = defineRoutes({
  "browse-team": {
    method: "GET",
    path: "/teams/{tid}/search",
    hidesOtherMethods: true,
    auth: "user",
    summary: "Search the members of your team",
    description:
      "For members who may add others. Finds members, including suspended ones, whose name, handle or " +
      "email address has, for each word of `q`, a word that begins with it; without `q`, all members. " +
      "Ordered by `sortby`; by default by relevance, or newest first without `q`. Changes take a moment to " +
      "show up.",
    params: teamPath,
    query: browseQuery,
    responses: { 200: searchResult },
    errors: ["insufficient-permissions"],
  },
});
