import * as z from "zod";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { role } from "#shared/teams/permissions.ts";
import { patchBody } from "../patch/schemas.ts";
import {
  attributeNormalizer,
  attributeSelection,
  paging,
  schemaUrns,
  scimList,
  searchRequest,
} from "../schemas.ts";

export const coreSchema = schemaUrns.user;

/** Attributes and sub-attributes of users in their usual spelling (RFC 7643 §4.1). */
const normalize = attributeNormalizer([
  ...["schemas", "externalId", "userName", "displayName", "active", "emails", "roles", "preferredLanguage"],
  ...["password", "name", "nickName", "profileUrl", "title", "userType", "locale", "timezone"],
  ...["phoneNumbers", "ims", "photos", "entitlements", "x509Certificates", "groups", "addresses"],
  ...["value", "type", "display", "primary", "formatted", "familyName", "givenName", "middleName"],
  ...["honorificPrefix", "honorificSuffix", "streetAddress", "locality", "region", "postalCode", "country"],
]);

const text = z.string();
const flag = z
  .union([z.boolean(), z.string().regex(/^(true|false)$/i, "true or false")])
  .transform((value) => String(value).toLowerCase() === "true");

/** A value of an attribute that may have several (RFC 7643 §2.4). */
const plural = { type: text, display: text, primary: flag };
const pluralValue = z
  .object({ ...plural, value: text })
  .partial()
  .meta({ id: "ScimPlural" });
const plurals = z.array(pluralValue);

/** Roles, each either as a text or as an object as in RFC 7643. */
const roles = z
  .preprocess((value) => (typeof value === "string" ? [value] : value), z.array(z.union([text, pluralValue])))
  .transform((values) => values.map((one) => (typeof one === "string" ? { value: one } : one)));

/** The attributes of RFC 7643 §4.1 that the service uses. */
const attributes = {
  schemas: z.array(text),
  externalId: text.meta({
    description: "Id of the user in the directory, and its name at the identity provider",
  }),
  userName: text.meta({
    description:
      "The handle, which is turned into lower case; or an email address, whose local part becomes the handle",
  }),
  displayName: text.meta({
    description: "Without one, or with an empty one, the external id or the email address",
  }),
  active: flag.meta({ description: "False: suspended" }),
  emails: plurals.meta({
    description: "The first primary one counts, otherwise the first; those without a value do not",
  }),
  roles: roles.meta({
    description:
      "At most one of `owner`, `admin`, `member`, `partner`, in any case; of several, the primary one counts",
  }),
  preferredLanguage: text.meta({
    description: "Language (two letters of ISO 639-1), with or without a country: en, de-CH",
    examples: ["de-CH"],
  }),
  password: z.unknown().meta({ description: "Refused" }),
};

/** Attributes whose type is checked, but which are otherwise ignored. */
export const ignoredAttributes = {
  name: z
    .object({
      formatted: text,
      familyName: text,
      givenName: text,
      middleName: text,
      honorificPrefix: text,
      honorificSuffix: text,
    })
    .partial(),
  nickName: text,
  profileUrl: text,
  title: text,
  userType: text,
  locale: text,
  timezone: text,
  phoneNumbers: plurals,
  ims: plurals,
  photos: plurals,
  entitlements: plurals,
  x509Certificates: plurals,
  groups: plurals,
  addresses: z.array(
    z
      .object({
        ...plural,
        formatted: text,
        streetAddress: text,
        locality: text,
        region: text,
        postalCode: text,
        country: text,
      })
      .partial(),
  ),
};

export const userAttributes = z.preprocess(
  normalize,
  z.looseObject({ ...attributes, ...ignoredAttributes }).partial(),
);
/** Attributes in their usual spelling, and the extensions as they were sent. */
export type UserAttributes = z.output<typeof userAttributes>;

const userBody = userAttributes.meta({
  id: "ScimUserRequest",
  description:
    "A user as the directory has it (RFC 7643 §4.1), with rich info under the schemas of the extension. Names of " +
    "attributes may be in any case; null and `[]` count as absent.",
  examples: [
    {
      schemas: [coreSchema],
      externalId: "ada@example.com",
      userName: "ada",
      displayName: "Ada Lovelace",
      active: true,
      emails: [{ value: "ada@example.com", primary: true }],
      roles: ["member"],
      preferredLanguage: "en",
    },
  ],
});

const userView = z
  .looseObject({
    schemas: z.array(text),
    id: uuid,
    externalId: text,
    userName: text.meta({ description: "The handle, or the email address that the directory has sent" }),
    displayName: text,
    active: z.boolean(),
    emails: z.array(z.object({ value: text }).meta({ id: "ScimUserEmail" })).optional(),
    preferredLanguage: text,
    roles: z.array(role),
    meta: z
      .object({
        resourceType: z.literal("User"),
        created: z.iso.datetime(),
        lastModified: z.iso.datetime(),
        version: text.meta({ description: "Weak entity tag of the resource" }),
        location: z.url(),
      })
      .meta({ id: "ScimUserMeta" }),
  })
  .meta({
    id: "ScimUser",
    description: "A user, with rich info in two forms: as a map and, under the other schema, as a list",
  });
export type UserView = z.input<typeof userView>;

/** Only the attributes that the client has selected. */
const selectedUser = userView
  .partial({
    externalId: true,
    userName: true,
    displayName: true,
    active: true,
    preferredLanguage: true,
    roles: true,
    meta: true,
  })
  .meta({ id: "ScimSelectedUser", description: "The attributes of a user that the client has selected" });
const userList = scimList(selectedUser).meta({ id: "ScimUserList" });

/** A malformed id counts as an unknown one. */
const userPath = z.object({ id: z.string().meta({ description: "Id of a user" }) });

const userSearch = z.object({
  filter: z
    .string()
    .optional()
    .meta({ description: '`userName eq "…"` or `externalId eq "…"`', examples: ['userName eq "ada"'] }),
  ...paging,
  ...attributeSelection,
});

export const userSearchRequest = searchRequest("ScimUserSearch", 'userName eq "ada"');

const userQuery = z.object(attributeSelection);

const userInfoPath = z.object({ user: uuid.meta({ description: "Id of a user" }) });
const userInfo = z
  .object({
    id: uuid,
    created_on: z.iso
      .datetime()
      .optional()
      .meta({ description: "When the directory has created or adopted the user" }),
  })
  .meta({ id: "ScimUserInfo" });

const scim = {
  auth: "scim",
  errorFormat: "scim",
  allowsTrailingSlash: true,
} as const satisfies Partial<Route>;

/** Errors of giving a user an address, a handle or a place in the team. */
const refusals = [
  "scim-invalid-value",
  "scim-uniqueness",
  "rich-info-too-large",
  "invalid-email",
  "key-exists",
  "blacklisted-email",
  "allowlist-rejected",
  "condition-failed",
  "domain-blocked-for-registration",
  "email-exists",
  "no-team",
  "too-many-team-members",
  "too-many-members-for-legalhold",
  "too-many-team-invitations",
  "too-many-requests",
] as const satisfies Route["errors"];

const creation = {
  ...scim,
  method: "POST",
  summary: "Create a user of the team",
  description:
    "With an identity provider, the user logs in through it under the external id. Without one, the user " +
    "confirms the address and then sets a password.",
  body: userBody,
  bodyFormat: "scim",
  responses: { 201: userView },
  errors: [...refusals, "scim-forbidden"],
} as const satisfies Partial<Route>;

const finding = {
  responses: { 200: userList },
  errors: ["scim-too-many", "scim-invalid-filter", "scim-uniqueness", "scim-forbidden", "concurrent-change"],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "scim-create-user": { ...creation, audit: "provisioning.user-created", path: "/scim/v2/Users" },
  "scim-create-user-with-id": {
    audit: "provisioning.user-created",
    ...creation,
    path: "/scim/v2/Users/{id}",
    description: "Same as `scim-create-user`: the service chooses the id.",
    params: userPath,
  },
  "scim-find-users": {
    audit: "provisioning.user-changed",
    ...scim,
    ...finding,
    method: "GET",
    path: "/scim/v2/Users",
    summary: "Find a user of the team by user name or external id",
    description:
      "The case of a user name does not matter. An unknown external id is also looked up as the email address of a member, and as " +
      "the name at the identity provider; an unknown user name that is an address, as that of a member whom no " +
      "directory manages yet. A member whom no directory manages yet is adopted: from then on, the directory " +
      "manages the profile. Without a filter, an operator can have the users of the directory listed in pages, " +
      "which adopts nobody; otherwise that is refused.",
    refusesHead: true,
    query: userSearch,
  },
  "scim-search-users": {
    audit: "provisioning.user-changed",
    ...scim,
    ...finding,
    method: "POST",
    path: "/scim/v2/Users/.search",
    summary: "Find a user of the team by a request body",
    description: "Same as `scim-find-users`, for names that do not belong into an address.",
    body: userSearchRequest,
    bodyFormat: "scim",
  },
  "scim-get-user": {
    audit: "provisioning.user-changed",
    ...scim,
    method: "GET",
    path: "/scim/v2/Users/{id}",
    summary: "Get a user of the team",
    description: "A member whom no directory manages yet is adopted.",
    refusesHead: true,
    params: userPath,
    query: userQuery,
    responses: { 200: selectedUser },
    errors: ["scim-not-found", "scim-uniqueness", "scim-forbidden", "concurrent-change"],
  },
  "scim-replace-user": {
    ...scim,
    method: "PUT",
    audit: "provisioning.user-changed",
    path: "/scim/v2/Users/{id}",
    summary: "Replace a user of the team",
    description:
      "Without `roles` or `emails`, the user keeps role or address. A new address takes effect once the " +
      "user has confirmed it.",
    params: userPath,
    body: userBody,
    bodyFormat: "scim",
    responses: { 200: userView },
    errors: [...refusals, "scim-not-found", "scim-forbidden"],
  },
  "scim-patch-user": {
    ...scim,
    method: "PATCH",
    audit: "provisioning.user-changed",
    path: "/scim/v2/Users/{id}",
    summary: "Change some attributes of a user of the team",
    description:
      "What is not named stays as it is. Attributes of RFC 7643 that the service does not keep, and those of other " +
      "extensions, are ignored, as in a PUT; setting an unknown attribute is refused. The user keeps role and " +
      "address when they are removed.",
    params: userPath,
    body: patchBody,
    bodyFormat: "scim",
    responses: { 200: userView },
    errors: [
      ...refusals,
      "scim-not-found",
      "scim-forbidden",
      "scim-invalid-operation",
      "scim-invalid-path",
      "scim-invalid-filter",
      "scim-no-target",
      "scim-mutability",
    ],
  },
  "scim-delete-user": {
    ...scim,
    method: "DELETE",
    audit: "provisioning.user-deleted",
    path: "/scim/v2/Users/{id}",
    summary: "Delete a user of the team",
    description: "Also 204 when there is no such user.",
    params: userPath,
    responses: { 204: null },
    errors: ["scim-forbidden"],
  },
  "i-scim-get-user-info": {
    method: "POST",
    audit: unaudited.reading,
    path: "/i/scim/userinfo/{user}",
    auth: "internal",
    summary: "Get when a directory has created or adopted a user",
    params: userInfoPath,
    responses: { 200: userInfo },
    errors: ["not-found"],
  },
});
