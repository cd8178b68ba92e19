import * as z from "zod";
import { cookieLabel } from "#shared/accounts/account-types.ts";
import { browserHeaders } from "#shared/platform/html/pages-for.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

export { browserHeaders };

export const providerPath = z.object({
  idp: wire.uuid.meta({ description: "Id of the identity provider: the login code without its prefix" }),
});
export const teamPath = z.object({ team: wire.uuid.meta({ description: "Id of the team" }) });

/** How long it may be, `url-too-long` says. */
const redirect = z.string().min(1);

export const loginQuery = z.object({
  success_redirect: redirect.optional().meta({
    description:
      "Where an app is called with the cookie and the user id: `$cookie` and `$userid` are replaced",
  }),
  error_redirect: redirect.optional().meta({
    description: "Where an app is called when the login fails: `$label` is replaced",
  }),
  label: cookieLabel.optional(),
});

/** A field that is missing gets a page of its own. */
export const loginResponse = z
  .object({ SAMLResponse: z.string().optional().meta({ description: "Base64 of the response" }) })
  .default({})
  .meta({ examples: [{ SAMLResponse: "PHNhbWxwOlJlc3BvbnNlLi4uPg==" }] });

export const reasons = z.array(z.string()).optional();
