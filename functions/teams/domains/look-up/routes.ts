import * as z from "zod";
import { email } from "#shared/accounts/account-types.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { verificationEnabled } from "#shared/teams/registered-domains/verification-enabled.ts";
import { redirectFields } from "../schemas.ts";

export const routes = defineRoutes({
  "get-domain-registration": {
    method: "POST",
    audit: unaudited.reading,
    path: "/get-domain-registration",
    since: 8,
    auth: "none",
    summary: "Find out where somebody with an email address registers and logs in",
    requires: [verificationEnabled],
    body: z.object({ email }).meta({
      id: "GetDomainRegistrationRequest",
      examples: [{ email: "ada@example.com" }],
    }),
    responses: {
      200: z
        .object({
          ...redirectFields,
          due_to_existing_account: z.literal(true).optional().meta({
            description: "Present if the domain redirects but the address has an account here",
          }),
        })
        .meta({ id: "DomainRedirectResponse" }),
    },
    errors: ["invalid-domain", "invalid-email"],
  },
});
