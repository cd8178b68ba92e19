import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import type { FormContext } from "#shared/platform/http/older-form.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { emptyList } from "#shared/platform/http/wire-types.ts";
import { uncharged } from "#shared/registry/uncharged.ts";

const name = z.string().max(256).meta({ description: "Display name; by default the id" });
const description = z.string().max(512).meta({ description: "What the token is for; may be empty" });
const idp = wire.uuid.meta({
  description: "Identity provider through which the users provisioned with the token log in",
});

const examples = [{ description: "Staff directory", password: "correct horse battery" }];
const newTokenFields = {
  description,
  password: accountTypes.password.optional().meta({
    description:
      "The caller's; absent without one, optional for those who log in through an identity provider",
  }),
  verification_code: accountTypes.verificationCode.optional().meta({
    description: "Code from the mail for the action `create_scim_token`, where a second factor is required",
  }),
};

const newToken = z
  .object({ ...newTokenFields, name: name.optional(), idp: idp.optional() })
  .meta({ id: "CreateScimToken", examples });

/** For requests that name a version; other requests may have more fields. */
const onlyWithoutVersion = "Ignored except in requests without a version";
const newTokenV0 = z
  .object({
    ...newTokenFields,
    name: name.optional().meta({ description: onlyWithoutVersion }),
    idp: idp.optional().meta({ description: onlyWithoutVersion }),
  })
  .meta({ id: "CreateScimTokenV0", examples });

const tokenInfoFields = {
  id: wire.uuid,
  team: wire.uuid,
  created_at: wire.utcSecond,
  description,
  idp: idp.optional(),
};
const tokenInfo = z.object({ ...tokenInfoFields, name }).meta({ id: "ScimTokenInfo" });
const tokenInfoV0 = z
  .object({
    ...tokenInfoFields,
    name: name.optional().meta({ description: "Only in answers to requests without a version" }),
  })
  .meta({ id: "ScimTokenInfoV0" });

const tokenText = z.string().meta({ description: "The token, which is shown only this once" });
const createdToken = z.object({ token: tokenText, info: tokenInfo }).meta({ id: "CreateScimTokenResponse" });
const createdTokenV0 = z
  .object({ token: tokenText, info: tokenInfoV0 })
  .meta({ id: "CreateScimTokenResponseV0" });

const oldestFirst = "Oldest first";
const tokenList = z
  .object({ tokens: z.array(tokenInfo).meta({ description: oldestFirst }) })
  .meta({ id: "ScimTokenList" });
const tokenListV0 = z
  .object({ tokens: z.array(tokenInfoV0).meta({ description: oldestFirst }) })
  .meta({ id: "ScimTokenListV0" });

const tokenName = z.object({ name }).meta({ id: "ScimTokenName", examples: [{ name: "Staff directory" }] });

const id = wire.uuid.meta({ description: "Id of the token" });
const tokenPath = z.object({ id });
const tokenQuery = z.object({ id });

/** Shows a token before version 8: with its name only if the request names no version. */
export const toTokenInfoV0 = (
  { name, ...info }: z.input<typeof tokenInfo>,
  { isPrefixed }: Pick<FormContext, "isPrefixed">,
) => (isPrefixed ? info : { ...info, name });

const toTokenListV0 = ({ tokens }: z.input<typeof tokenList>, context: FormContext) => ({
  tokens: tokens.map((token) => toTokenInfoV0(token, context)),
});

const tokens = {
  path: "/scim/auth-tokens",
  auth: "user",
  withoutUser: "user-missing",
  errors: ["not-a-team-member", "insufficient-permissions"],
} as const;

const creation = {
  ...tokens,
  method: "POST",
  summary: "Create a token for a directory",
  description:
    "For owners of the team, who must give their password if they have one, and a code where a second " +
    "factor is required. The token does not expire and is valid only below `/scim/v2`. Once a team has a " +
    "token, only the directory creates accounts; logging in no longer does.",
  errors: [
    ...tokens.errors,
    "access-denied",
    "code-authentication-required",
    "code-authentication-failed",
    "login-budget-exhausted",
    "too-many-requests",
    "token-limit-reached",
    "not-found",
  ],
} as const;

export const routes = defineRoutes({
  "auth-tokens-create": {
    costs: uncharged.bounded,
    audit: "provisioning-token.created",
    ...creation,
    since: 8,
    body: newToken,
    responses: { 201: createdToken },
  },
  "auth-tokens-create-v0": {
    costs: uncharged.bounded,
    audit: "provisioning-token.created",
    ...creation,
    until: 7,
    body: newTokenV0,
    responses: { 201: createdTokenV0 },
    errors: [...creation.errors, "more-than-one-idp"],
  },
  "auth-tokens-list": {
    ...tokens,
    method: "GET",
    since: 8,
    summary: "List the tokens of your team's directories",
    responses: { 200: tokenList },
    olderForms: {
      "auth-tokens-list-v0": {
        until: 7,
        responses: { 200: tokenListV0 },
        answer: { 200: toTokenListV0 },
      },
    },
  },
  "auth-tokens-put-name": {
    costs: uncharged.bounded,
    ...tokens,
    method: "PUT",
    audit: "provisioning-token.changed",
    path: "/scim/auth-tokens/{id}",
    since: 8,
    summary: "Rename a token",
    description: "An unknown id changes nothing.",
    params: tokenPath,
    body: tokenName,
    responses: { 200: emptyList },
  },
  "auth-tokens-delete": {
    ...tokens,
    method: "DELETE",
    audit: "provisioning-token.deleted",
    summary: "Revoke a token",
    description: "The token is refused from then on. Users provisioned with it stay.",
    query: tokenQuery,
    responses: { 204: null },
  },
});
