import * as z from "zod";
import { supportedProtocols } from "#shared/accounts/account.ts";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { richInfo } from "#shared/accounts/profiles/rich-info.ts";
import { userProfile } from "#shared/accounts/profiles/user-profile.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkLocalDomain, inOwnDomain, localDomain } from "#shared/platform/http/local-domain.ts";
import type { FormContext } from "#shared/platform/http/older-form.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { emptyList } from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";

/** Maximum number of users in one request. */
const maxUsers = 500;
const maxHandles = 4;

const userPath = z.object({ uid: wire.userId });
const qualifiedUserPath = z.object({ uid_domain: wire.domain, uid: wire.userId });
const handlePath = z.object({ handle: accountTypes.handle });
const qualifiedHandlePath = z.object({ domain: wire.domain, handle: accountTypes.handle });
/** Any text, because a malformed handle is refused with `invalid-handle`. */
const candidatePath = z.object({
  handle: z.string().meta({ description: "Handle as it would be stored: lower case, without `@`" }),
});

const profiles = z.array(userProfile);

const usersQuery = z
  .object({
    ids: wire
      .commaSeparated(wire.uuid, maxUsers)
      .optional()
      .meta({ description: "User ids, separated by commas" }),
    handles: wire
      .commaSeparated(accountTypes.handle, maxHandles)
      .optional()
      .meta({ description: "Up to four handles, separated by commas" }),
  })
  .refine(({ ids, handles }) => (ids === undefined) !== (handles === undefined), {
    message: "exactly one of ids and handles is needed",
  });

const qualifiedHandle = z
  .object({ domain: wire.domain, handle: accountTypes.handle })
  .meta({ id: "Qualified_Handle" });

const listUsers = z
  .object({
    qualified_ids: z.array(wire.qualifiedId).min(1).max(maxUsers).optional(),
    qualified_handles: z.array(qualifiedHandle).min(1).max(maxHandles).optional(),
  })
  .refine((query) => (query.qualified_ids === undefined) !== (query.qualified_handles === undefined), {
    message: "exactly one of qualified_ids and qualified_handles is needed",
  })
  .meta({
    id: "ListUsersQuery",
    description: "Exactly one of `qualified_ids` and `qualified_handles`",
    examples: [
      { qualified_ids: [{ domain: "parley.localhost", id: "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60" }] },
    ],
  });

const listedUsers = z
  .object({
    found: profiles,
    failed: z.array(wire.qualifiedId).min(1).optional().meta({
      description:
        "Users of domains that cannot be reached, and those whose profiles did not fit into this answer",
    }),
  })
  .meta({ id: "ListUsersById" });

const checkHandles = z
  .object({
    handles: z.array(z.string()).min(1).max(50).meta({ description: "Candidates, in order of preference" }),
    return: z
      .int()
      .min(1)
      .max(10)
      .default(1)
      .meta({ description: "Maximum number of handles in the answer" }),
  })
  .meta({ id: "CheckHandles", examples: [{ handles: ["ada", "ada.lovelace"], return: 1 }] });

const handles = z.array(z.string());

const handleOwner = z
  .object({
    qualified_user: wire.qualifiedId,
    user: z.uuid().meta({ description: "The same without the domain" }),
  })
  .meta({ id: "UserHandleInfo" });

const richInfoView = richInfo.meta({ id: "RichInfoAssocList" });

/** Refuses a list with a user of another domain. From version 4, such users are reported as failed. */
function refuseOtherDomains(
  { body }: { readonly body: z.output<typeof listUsers> },
  { settings }: FormContext,
) {
  for (const { domain } of body.qualified_ids ?? []) checkLocalDomain(domain, settings);
  return {};
}

/** Shows the profiles alone. From version 4, there may be none. */
function toProfiles({ found }: z.input<typeof listedUsers>) {
  if (found.length === 0) throw new ApiError("not-found");
  return found;
}

const user = { method: "GET", auth: "user", allowsLegalHold: true } as const;

export const routes = defineRoutes({
  "get-user-qualified": {
    ...user,
    path: "/users/{uid_domain}/{uid}",
    summary: "Get the profile of a user",
    description: "For a deleted user, only a placeholder with `deleted` set remains.",
    params: qualifiedUserPath,
    requires: [localDomain("uid_domain")],
    responses: { 200: userProfile },
    errors: ["not-found"],
    olderForms: {
      "get-user-unqualified": {
        until: 1,
        path: "/users/{uid}",
        params: userPath,
        requires: [],
        request: inOwnDomain("uid_domain"),
      },
    },
  },
  "list-users-by-unqualified-ids-or-handles": {
    ...user,
    path: "/users",
    until: 1,
    summary: "Get the profiles of several users",
    description: "Name exactly one of `ids` and `handles`. Unknown users are left out.",
    query: usersQuery,
    responses: { 200: profiles },
    errors: ["not-found"],
  },
  "list-users-by-ids-or-handles": {
    costs: uncharged.nothing,
    method: "POST",
    audit: unaudited.reading,
    path: "/list-users",
    since: 4,
    auth: "user",
    summary: "Get the profiles of several users",
    description: "Unknown users are left out.",
    body: listUsers,
    bodyLimit: 256 * 1024,
    responses: { 200: listedUsers },
    errors: ["federation-not-enabled"],
    olderForms: {
      "list-users-by-ids-or-handles-v3": {
        until: 3,
        responses: { 200: profiles },
        errors: ["federation-not-enabled", "not-found"],
        request: refuseOtherDomains,
        answer: { 200: toProfiles },
      },
    },
  },
  "get-supported-protocols": {
    ...user,
    path: "/users/{uid_domain}/{uid}/supported-protocols",
    since: 5,
    summary: "Get the protocols that all devices of a user support",
    params: qualifiedUserPath,
    requires: [localDomain("uid_domain")],
    responses: { 200: supportedProtocols },
    errors: ["not-found"],
  },
  "get-rich-info": {
    ...user,
    path: "/users/{uid}/rich-info",
    summary: "Get the rich info of a member of your team",
    description: "Rich info is what a team keeps about its members besides their profiles.",
    params: userPath,
    responses: { 200: richInfoView },
    errors: ["insufficient-permissions", "not-found"],
  },
  "check-user-handle": {
    method: "HEAD",
    path: "/handles/{handle}",
    since: 7,
    auth: "user",
    summary: "Check whether a handle is taken",
    description: "200 if it is taken, 404 if it is free.",
    params: candidatePath,
    responses: { 200: emptyList },
    errors: ["invalid-handle", "not-found"],
    olderForms: { "check-user-handle-v6": { until: 6, path: "/users/handles/{handle}" } },
  },
  "check-user-handles": {
    costs: uncharged.nothing,
    method: "POST",
    audit: unaudited.reading,
    path: "/handles",
    since: 7,
    auth: "user",
    summary: "List which of several handles are free",
    description: "Reserved and malformed ones are left out.",
    body: checkHandles,
    responses: { 200: handles },
    errors: [],
    olderForms: { "check-user-handles-v6": { until: 6, path: "/users/handles" } },
  },
  "get-user-by-handle-qualified": {
    ...user,
    path: "/users/by-handle/{domain}/{handle}",
    until: 1,
    summary: "Get the id of the user who has a handle",
    params: qualifiedHandlePath,
    requires: [localDomain("domain")],
    responses: { 200: handleOwner },
    errors: ["not-found"],
    olderForms: {
      "get-handle-info-unqualified": {
        until: 1,
        path: "/users/handles/{handle}",
        params: handlePath,
        requires: [],
        request: inOwnDomain("domain"),
      },
    },
  },
});
