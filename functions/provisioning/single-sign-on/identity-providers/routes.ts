import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import * as schemas from "./schemas.ts";

const byId = {
  path: "/identity-providers/{id}",
  auth: "user",
  withoutUser: "insufficient-permissions",
  params: schemas.idpPath,
} as const satisfies Partial<Route>;

const ofTeam = {
  path: "/identity-providers",
  auth: "user",
  withoutUser: "user-missing",
} as const satisfies Partial<Route>;

const upload = {
  body: schemas.metadataBody,
  bodyFormat: "xml-or-json",
  // JSON takes more bytes than the XML in it, and UTF-16 twice as many.
  bodyLimit: 512 * 1024,
} as const satisfies Partial<Route>;

const uploadErrors = [
  "insufficient-permissions",
  "invalid-metadata",
  "sso-disabled",
  "idp-duplicate-domain-for-team",
  "idp-must-be-https",
  "cannot-mix-idp-api-versions",
] as const;

export const routes = defineRoutes({
  "idp-get-all": {
    ...ofTeam,
    method: "GET",
    summary: "List the identity providers of your team",
    responses: { 200: schemas.providerList },
    errors: ["not-a-team-member", "insufficient-permissions"],
  },
  "idp-get": {
    ...byId,
    method: "GET",
    summary: "Get an identity provider of your team",
    responses: { 200: schemas.provider },
    errors: ["not-found", "insufficient-permissions"],
  },
  "idp-get-raw": {
    ...byId,
    method: "GET",
    path: "/identity-providers/{id}/raw",
    summary: "Get the metadata of an identity provider, as it was uploaded",
    responses: { 200: { contentType: "application/xml" } },
    errors: ["not-found", "insufficient-permissions"],
  },
  "idp-create": {
    ...ofTeam,
    ...upload,
    method: "POST",
    audit: "identity-provider.created",
    summary: "Register an identity provider for your team",
    description:
      "From its metadata (SAML 2.0), which must have an endpoint with the binding HTTP-POST. Its keys have to be RSA keys " +
      "with certificates signed with RSA and SHA-256. In version 1, an issuer has one identity provider; in version 2, one in " +
      "each team.",
    query: schemas.creationQuery,
    responses: { 201: schemas.provider },
    errors: [...uploadErrors, "more-than-one-idp", "idp-limit-reached", "idp-already-in-use", "not-found"],
  },
  "idp-update": {
    ...byId,
    ...upload,
    method: "PUT",
    audit: "identity-provider.changed",
    summary: "Replace the metadata of an identity provider of your team",
    description:
      "The id, and with it the login code, stays. Keys missing from the metadata are no longer accepted. " +
      "If the issuer changes, users move to it when they next log in, and the former issuer becomes free " +
      "for others.",
    query: schemas.updateQuery,
    responses: { 200: schemas.provider },
    errors: [...uploadErrors, "idp-issuer-in-use", "not-found"],
  },
  "idp-get-attributes": {
    ...byId,
    method: "GET",
    path: "/identity-providers/{id}/attributes",
    summary: "Get how logins by an identity provider of your team read names and addresses",
    responses: { 200: schemas.attributes },
    errors: ["not-found", "insufficient-permissions"],
  },
  "idp-put-attributes": {
    ...byId,
    method: "PUT",
    path: "/identity-providers/{id}/attributes",
    audit: "identity-provider.changed",
    summary: "Choose how logins by an identity provider of your team read names and addresses",
    description:
      "From attributes of the assertion, when an account is created and when one still lacks them: people keep names and " +
      "addresses that they have chosen. Nothing changes in accounts that a directory manages.",
    body: schemas.attributes,
    responses: { 200: schemas.attributes },
    errors: ["not-found", "insufficient-permissions"],
  },
  "idp-delete": {
    ...byId,
    method: "DELETE",
    audit: "identity-provider.deleted",
    summary: "Remove an identity provider of your team",
    description:
      "Also removes its SCIM tokens and, with `purge`, the accounts of its users. In a large team, " +
      "accounts are still being deleted after the answer, and the issuer stays in use until that is done. " +
      "The last owner of the team stays.",
    query: schemas.deletionQuery,
    responses: { 204: null },
    errors: ["not-found", "insufficient-permissions", "cannot-delete-own-idp", "idp-has-bound-users"],
  },
  "i-get-identity-providers": {
    method: "GET",
    path: "/i/identity-providers/{team}",
    auth: "internal",
    summary: "List the identity providers of a team",
    params: schemas.teamPath,
    responses: { 200: schemas.providerList },
    errors: [],
  },
  "i-send-idp-changed-email": {
    method: "POST",
    audit: unaudited.preparation,
    path: "/i/idp/send-idp-changed-email",
    auth: "internal",
    summary: "Tell the admins of a team that an identity provider has changed",
    description:
      "By mail to those who have an address. Where the service answers on several hosts, it does this by " +
      "itself.",
    body: schemas.providerChange,
    bodyLimit: 256 * 1024,
    responses: { 200: null },
    errors: ["invalid-metadata"],
  },
});
