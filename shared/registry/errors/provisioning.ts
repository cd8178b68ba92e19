import { defineErrors } from "./define-errors.ts";

/** Label of every error for directories (RFC 7644 §3.12); `scimType` says more where the RFC has a word for it. */
export const scimErrorLabel = "scim-error";

/** Errors of identity providers, single sign-on and provisioning. Labels are spelled as clients expect them. */
export const provisioningErrors = defineErrors({
  "user-missing": {
    status: 400,
    label: "client-error",
    message: "This must be done on behalf of a user",
  },
  "invalid-metadata": { status: 400, message: "Not the metadata of an identity provider" },
  "idp-must-be-https": { status: 400, message: "The address of the identity provider must be https" },
  "idp-already-in-use": { status: 400, message: "Another identity provider has this issuer" },
  "idp-issuer-in-use": { status: 400, message: "Another identity provider has this issuer" },
  "more-than-one-idp": {
    status: 400,
    message: "With a SCIM token, clients of this version can use only one identity provider",
  },
  "need-both-redirect-urls": { status: 400, message: "Both redirect URLs are needed, or none" },
  "invalid-schema": { status: 400, message: "The scheme of the redirect URL is not one of the apps'" },
  "url-too-long": { status: 400, message: "The redirect URL is too long" },
  "bad-response-saml": { status: 400, message: "The response of the identity provider is incomplete" },
  "bad-response-issuers": {
    status: 403,
    label: "bad-response-saml",
    message: "The response of the identity provider names several issuers",
  },
  "bad-response-xml": { status: 400, message: "The response of the identity provider cannot be used" },
  "bad-response-signature": {
    status: 400,
    message: "The response is not signed by the identity provider",
  },
  "ttl-error": { status: 400, message: "The assertion has expired, or is valid for too long" },
  "bad-success-redirect": { status: 400, message: "The redirect URL of the app cannot be used" },
  "bad-failure-redirect": { status: 400, message: "The redirect URL of the app cannot be used" },
  "sso-disabled": { status: 403, message: "Single sign-on is not enabled for the team" },
  "token-limit-reached": { status: 403, message: "The team has reached its limit of SCIM tokens" },
  "idp-limit-reached": {
    status: 403,
    label: "insufficient-permissions",
    message: "The team has reached its limit of identity providers",
  },
  "cannot-delete-own-idp": { status: 409, message: "You log in by this identity provider yourself" },
  "idp-duplicate-domain-for-team": {
    status: 409,
    message: "The team has another identity provider on this host",
  },
  "cannot-mix-idp-api-versions": {
    status: 409,
    label: "cannot-mix-idp-api-verions",
    message: "The issuer belongs to identity providers of the other version",
  },
  "idp-non-unique": { status: 409, message: "Several identity providers have this issuer" },
  "idp-has-bound-users": { status: 412, message: "Users log in by this identity provider" },
  "invalid-certificate": {
    status: 500,
    message: "The certificate of the identity provider cannot be used",
    isDeliberate: true,
  },
  "login-not-opened": {
    status: 403,
    label: "access-denied",
    message: "A login starts only when the user opens this page",
  },
  "login-request-gone": {
    status: 500,
    label: "server-error",
    message: "The login took too long",
    isDeliberate: true,
  },
  "scim-invalid-value": {
    status: 400,
    label: scimErrorLabel,
    scimType: "invalidValue",
    message: "A value is missing or invalid",
  },
  "scim-invalid-filter": {
    status: 400,
    label: scimErrorLabel,
    scimType: "invalidFilter",
    message: "The filter is not supported",
  },
  "scim-invalid-path": {
    status: 400,
    label: scimErrorLabel,
    scimType: "invalidPath",
    message: "The attribute cannot be changed by this path",
  },
  "scim-invalid-operation": {
    status: 400,
    label: scimErrorLabel,
    scimType: "invalidSyntax",
    message: "A PATCH cannot have this operation",
  },
  "scim-no-target": {
    status: 400,
    label: scimErrorLabel,
    scimType: "noTarget",
    message: "The operation names nothing to remove",
  },
  "scim-mutability": {
    status: 400,
    label: scimErrorLabel,
    scimType: "mutability",
    message: "The attribute cannot be removed",
  },
  "scim-too-many": {
    status: 400,
    label: scimErrorLabel,
    scimType: "tooMany",
    message: "Listing users requires a filter",
  },
  "scim-forbidden": { status: 403, label: scimErrorLabel, message: "Directories may not change this" },
  "scim-too-many-groups": {
    status: 403,
    label: scimErrorLabel,
    message: "The team has reached its limit of groups",
  },
  "scim-not-found": { status: 404, label: scimErrorLabel, message: "The team has no such resource" },
  "scim-not-implemented": {
    status: 501,
    label: scimErrorLabel,
    message: "Search users or groups",
    isDeliberate: true,
  },
  "scim-uniqueness": {
    status: 409,
    label: scimErrorLabel,
    scimType: "uniqueness",
    message: "Another resource has the value",
  },
});
