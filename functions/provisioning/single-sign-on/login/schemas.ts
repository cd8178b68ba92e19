import * as z from "zod";
import { cookieLabel } from "#shared/accounts/account-types.ts";
import { maxOrderLength } from "#shared/accounts/page-login/company-login.ts";
import { browserHeaders } from "#shared/platform/html/pages-for.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

export { browserHeaders };

export const providerPath = z.object({
  idp: wire.uuid.meta({ description: "Id of the identity provider: the login code without its prefix" }),
});
export const teamPath = z.object({ team: wire.uuid.meta({ description: "Id of the team" }) });

/** Without a limit on its length: `url-too-long` reports that. */
const redirect = z.string().min(1);

export const loginQuery = z.object({
  success_redirect: redirect.optional().meta({
    description: "Where an app gets the cookie and the user id, instead of `$cookie` and `$userid`",
  }),
  error_redirect: redirect.optional().meta({
    description: "Where an app gets the reason of a failed login, instead of `$label`",
  }),
  label: cookieLabel.optional(),
  order: z
    .string()
    .max(maxOrderLength)
    .optional()
    .meta({ description: "From one of our pages, to which the browser then returns" }),
});

const setByBrowser = z.string().optional().meta({ setBy: "browser" });
/** Headers in which browsers describe a request (Fetch Metadata; speculation rules of HTML). */
export const startHeaders = browserHeaders.extend({
  "Sec-Fetch-Dest": setByBrowser,
  "Sec-Fetch-Mode": setByBrowser,
  "Sec-Fetch-Site": setByBrowser,
  "Sec-Purpose": setByBrowser,
  Purpose: setByBrowser,
});
export type StartHeaders = z.output<typeof startHeaders>;

/** Optional, because a missing field is answered with a page. */
export const loginResponse = z
  .object({ SAMLResponse: z.string().optional().meta({ description: "Base64 of the response" }) })
  .default({})
  .meta({ id: "SamlResponseForm", examples: [{ SAMLResponse: "PHNhbWxwOlJlc3BvbnNlLi4uPg==" }] });

export const reasons = z.array(z.string()).optional();
