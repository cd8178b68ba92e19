import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

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

export const newToken = z
  .object({ ...newTokenFields, name: name.optional(), idp: idp.optional() })
  .meta({ id: "CreateScimToken", examples });

/** For requests that name a version; other requests may have more fields. */
const onlyWithoutVersion = "Ignored except in requests without a version";
export const newTokenV0 = z
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
export const tokenInfo = z.object({ ...tokenInfoFields, name }).meta({ id: "ScimTokenInfo" });
const tokenInfoV0 = z
  .object({
    ...tokenInfoFields,
    name: name.optional().meta({ description: "Only in answers to requests without a version" }),
  })
  .meta({ id: "ScimTokenInfoV0" });

const tokenText = z.string().meta({ description: "The token, which is shown only this once" });
export const createdToken = z
  .object({ token: tokenText, info: tokenInfo })
  .meta({ id: "CreateScimTokenResponse" });
export const createdTokenV0 = z
  .object({ token: tokenText, info: tokenInfoV0 })
  .meta({ id: "CreateScimTokenResponseV0" });

const oldestFirst = "Oldest first";
export const tokenList = z
  .object({ tokens: z.array(tokenInfo).meta({ description: oldestFirst }) })
  .meta({ id: "ScimTokenList" });
export const tokenListV0 = z
  .object({ tokens: z.array(tokenInfoV0).meta({ description: oldestFirst }) })
  .meta({ id: "ScimTokenListV0" });

export const tokenName = z
  .object({ name })
  .meta({ id: "ScimTokenName", examples: [{ name: "Staff directory" }] });

const id = wire.uuid.meta({ description: "Id of the token" });
export const tokenPath = z.object({ id });
export const tokenQuery = z.object({ id });
