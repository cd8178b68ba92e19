import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { richInfo } from "#shared/accounts/profiles/rich-info.ts";
import { selfProfile } from "#shared/accounts/profiles/self-profile.ts";
import { ssoId } from "#shared/accounts/profiles/sso-id.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { role } from "#shared/teams/permissions.ts";
import { userPath } from "../schemas.ts";

const name = z.string().min(1).max(128).meta({ description: "Display name" });
/** Must be in lower case; anything else gets `invalid-handle`. */
const handle = z.string().max(512).meta({ description: "Without `@`" });
const managedBy = z.string().max(64).meta({ description: "`scim`, or the vendor's word" });
/** One of the two forms. */
const namedSsoId = z.union([
  ssoId.pick({ scim_external_id: true }).required().strict(),
  ssoId.pick({ tenant: true, subject: true }).required().strict(),
]);

const nameUpdate = z.object({ name }).meta({ id: "ProvisionedName", examples: [{ name: "Ada" }] });
const handleUpdate = z.object({ handle }).meta({ id: "ProvisionedHandle", examples: [{ handle: "ada" }] });
const localeUpdate = z
  .object({ locale: accountTypes.locale })
  .meta({ id: "ProvisionedLocale", examples: [{ locale: "de" }] });
const localeView = z.object({ locale: z.string() }).meta({ id: "DefaultLocale" });
const managedByUpdate = z
  .object({ managed_by: managedBy })
  .meta({ id: "ManagedByUpdate", examples: [{ managed_by: "scim" }] });
export const ssoIdUpdate = namedSsoId.meta({
  id: "SsoIdUpdate",
  examples: [{ scim_external_id: "ada@example.com" }],
});

const newUser = z
  .object({
    user_id: wire.userId,
    sso_id: namedSsoId,
    name,
    team: wire.uuid.meta({ description: "Id of the team" }),
    managed_by: managedBy,
    handle: handle.optional(),
    rich_info: richInfo.optional(),
    locale: accountTypes.locale.optional(),
    role: role.default("member"),
  })
  .meta({
    id: "NewSsoUser",
    examples: [
      {
        user_id: "7f0e3a52-98c6-4b27-b7e5-0d1f6a3c9b84",
        sso_id: {
          tenant: '<Issuer xmlns="urn:oasis:names:tc:SAML:2.0:assertion">https://idp.example.com</Issuer>',
          subject: '<NameID xmlns="urn:oasis:names:tc:SAML:2.0:assertion">ada</NameID>',
        },
        name: "Ada",
        team: "0b6c9d58-3a0e-4a53-8f1c-2f4a7f2d9e10",
        managed_by: "scim",
        role: "member",
      },
    ],
  });

const handlePath = z.object({ handle });

/** A user's rich info takes up to 40 KB in its two forms. */
const maxUsers = 100;
const richInfoQuery = z.object({
  ids: wire.commaSeparated(wire.uuid, maxUsers).meta({ description: "User ids, separated by commas" }),
});
const scimRichInfo = z
  .record(z.string(), z.unknown())
  .meta({ id: "ScimRichInfo", description: "Both extensions of a SCIM user, by their URNs" });
const richInfoPairs = z.array(z.tuple([z.uuid(), scimRichInfo]).rest(z.never()));

const ofUser = { auth: "internal", params: userPath } as const satisfies Partial<Route>;
const change = {
  ...ofUser,
  responses: { 200: null },
  errors: ["not-found"],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "i-create-sso-user": {
    method: "POST",
    audit: "account.registered",
    path: "/i/users/sso",
    auth: "internal",
    summary: "Create an account for somebody whom an identity provider or a directory knows",
    description: "The user is an active member of the team immediately.",
    body: newUser,
    bodyLimit: 256 * 1024,
    responses: { 201: selfProfile },
    responseHeaders: { Location: "Id of the user" },
    errors: [
      "invalid-handle",
      "rich-info-too-large",
      "handle-exists",
      "key-exists",
      "no-team",
      "too-many-team-members",
      "too-many-members-for-legalhold",
    ],
  },
  "i-put-sso-id": {
    ...change,
    method: "PUT",
    audit: "account.administered",
    path: "/i/users/{uid}/sso-id",
    summary: "Change the identity of a user at an identity provider or in a directory",
    description: "With `scim_external_id`, the user no longer logs in through an identity provider.",
    body: ssoIdUpdate,
    errors: ["not-found", "key-exists"],
  },
  "i-delete-sso-id": {
    ...change,
    method: "DELETE",
    audit: "account.administered",
    path: "/i/users/{uid}/sso-id",
    summary: "Remove the identity of a user at an identity provider or in a directory",
  },
  "i-put-managed-by": {
    ...change,
    method: "PUT",
    audit: "account.administered",
    path: "/i/users/{uid}/managed-by",
    summary: "Set whether a directory manages a user",
    body: managedByUpdate,
  },
  "i-put-name": {
    ...change,
    method: "PUT",
    audit: "account.profile-changed",
    path: "/i/users/{uid}/name",
    summary: "Change the name of a user on behalf of a directory",
    body: nameUpdate,
  },
  "i-put-handle": {
    ...change,
    method: "PUT",
    audit: "account.handle-changed",
    path: "/i/users/{uid}/handle",
    summary: "Change the handle of a user on behalf of a directory",
    body: handleUpdate,
    errors: ["not-found", "invalid-handle", "handle-exists"],
  },
  "i-put-locale": {
    ...change,
    method: "PUT",
    audit: "account.profile-changed",
    path: "/i/users/{uid}/locale",
    summary: "Change the locale of a user on behalf of a directory",
    body: localeUpdate,
  },
  "i-delete-locale": {
    ...change,
    method: "DELETE",
    audit: "account.profile-changed",
    path: "/i/users/{uid}/locale",
    summary: "Reset the locale of a user to the default",
  },
  "i-get-default-locale": {
    method: "GET",
    audit: unaudited.impersonal,
    path: "/i/users/locale",
    auth: "internal",
    summary: "Get the locale of users who have not chosen one",
    responses: { 200: localeView },
    errors: [],
  },
  "i-check-handle": {
    method: "HEAD",
    path: "/i/users/handles/{handle}",
    auth: "internal",
    summary: "Check whether a handle is taken",
    description: "200 if it is taken, 404 if it is free.",
    params: handlePath,
    responses: { 200: null },
    errors: ["invalid-handle", "not-found"],
  },
  "i-get-rich-info": {
    ...ofUser,
    method: "GET",
    path: "/i/users/{uid}/rich-info",
    summary: "Get the rich info of a user in SCIM form",
    responses: { 200: scimRichInfo },
    errors: ["not-found"],
  },
  "i-get-rich-infos": {
    method: "GET",
    path: "/i/users/rich-info",
    auth: "internal",
    summary: "Get the rich info of users in SCIM form",
    description: "Pairs of an id and the rich info, in any order; unknown users are left out.",
    query: richInfoQuery,
    responses: { 200: richInfoPairs },
    errors: [],
  },
  "i-check-admin": {
    ...ofUser,
    method: "GET",
    path: "/i/users/{uid}/check-admin-get-team-id",
    summary: "Get the team that a user administers",
    responses: { 200: uuid },
    errors: ["insufficient-permissions"],
  },
});
