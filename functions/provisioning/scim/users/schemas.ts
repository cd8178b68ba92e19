import * as z from "zod";
import { uuid } from "#shared/platform/http/wire-types.ts";
import { role } from "#shared/teams/permissions.ts";
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
const plurals = z.array(
  z
    .object({ ...plural, value: text })
    .partial()
    .meta({ id: "ScimPlural" }),
);

/** Roles, each either as a text or as an object as in RFC 7643. */
const roles = z
  .preprocess(
    (value) => (typeof value === "string" ? [value] : value),
    z.array(
      z.union([
        text,
        z
          .object({ ...plural, value: text })
          .partial()
          .meta({ id: "ScimRole" }),
      ]),
    ),
  )
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

export const userBody = userAttributes.meta({
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

export const userView = z
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
export const selectedUser = userView
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
export const userList = scimList(selectedUser).meta({ id: "ScimUserList" });

/** A malformed id counts as an unknown one. */
export const userPath = z.object({ id: z.string().meta({ description: "Id of a user" }) });

export const userSearch = z.object({
  filter: z
    .string()
    .optional()
    .meta({ description: '`userName eq "…"` or `externalId eq "…"`', examples: ['userName eq "ada"'] }),
  ...paging,
  ...attributeSelection,
});

export const userSearchRequest = searchRequest("ScimUserSearch", 'userName eq "ada"');

export const userQuery = z.object(attributeSelection);

export const userInfoPath = z.object({ user: uuid.meta({ description: "Id of a user" }) });
export const userInfo = z
  .object({
    id: uuid,
    created_on: z.iso
      .datetime()
      .optional()
      .meta({ description: "When the directory has created or adopted the user" }),
  })
  .meta({ id: "ScimUserInfo" });
