import { schemaUrns } from "../../schemas.ts";
import { attribute, type SchemaDocument } from "./attribute.ts";

/**
 * The attributes of a user that a directory can set and read. The other attributes of RFC 7643 §4.1 are accepted but
 * dropped, so they are not listed; rich info has names that each team chooses. Attributes that every user has are not
 * `required`, because clients that check requests would then refuse to create a user without them, and not always
 * `returned`, because requests can exclude them. So their descriptions say which value a user gets by default.
 */
export const userSchema: SchemaDocument = {
  id: schemaUrns.user,
  name: "User",
  description: "A member of the team",
  attributes: [
    attribute("externalId", "string", "Id of the user in the directory, and name at the identity provider", {
      required: true,
      caseExact: true,
      uniqueness: "server",
    }),
    attribute(
      "userName",
      "string",
      "Handle (2 to 256 of a-z, 0-9, '_', '.' and '-', with a letter or digit), or an email address",
      {
        required: true,
        uniqueness: "server",
      },
    ),
    attribute(
      "displayName",
      "string",
      "Name, of up to 128 characters; by default the external id or the address",
    ),
    attribute(
      "active",
      "boolean",
      "Whether the user may log in, by default true; false until an invitation is accepted",
    ),
    attribute(
      "preferredLanguage",
      "string",
      "Language of messages to the user, such as en or de-CH; by default that of the service",
      {
        canonicalValues: ["en", "de", "fr", "es"],
      },
    ),
    attribute(
      "emails",
      "complex",
      "The primary address counts, otherwise the first; without any, a user keeps the one before",
      {
        multiValued: true,
        // Only those of the usual sub-attributes (RFC 7643 §2.4) are listed that answers have.
        subAttributes: [attribute("value", "string", "The address")],
      },
    ),
    attribute(
      "roles",
      "string",
      "Role in the team, at most one; without any, a new user is a member, and others keep theirs",
      {
        multiValued: true,
        canonicalValues: ["owner", "admin", "member", "partner"],
      },
    ),
  ],
};

/** The attributes of a group that a directory can set and read (RFC 7643 §4.2). */
export const groupSchema: SchemaDocument = {
  id: schemaUrns.group,
  name: "Group",
  description: "A group of provisioned users",
  attributes: [
    attribute("displayName", "string", "Name, of up to 4000 characters", { required: true }),
    attribute("members", "complex", "Users provisioned by the directory", {
      multiValued: true,
      subAttributes: [
        attribute("value", "string", "Id of the user", { mutability: "immutable" }),
        attribute("$ref", "reference", "Address of the user", {
          mutability: "immutable",
          referenceTypes: ["User"],
        }),
        attribute("type", "string", "Always a user", { mutability: "immutable", canonicalValues: ["User"] }),
      ],
    }),
  ],
};
