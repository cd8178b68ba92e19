import * as z from "zod";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";
import { verificationEnabled } from "#shared/teams/registered-domains/verification-enabled.ts";
import { domainName, registeredDomain } from "../schemas.ts";

const tid = uuid.meta({ description: "Id of the team" });
const base = { auth: "user", since: 8, requires: [verificationEnabled] } as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "get-all-registered-domains": {
    ...base,
    method: "GET",
    path: "/teams/{tid}/registered-domains",
    hidesOtherMethods: true,
    summary: "List the email domains of your team",
    params: z.object({ tid }),
    responses: {
      200: z
        .object({ registered_domains: z.array(registeredDomain) })
        .meta({ id: "RegisteredDomains", description: "In no order" }),
    },
    errors: [
      "domain-registration-update-payment-required",
      "operation-forbidden-for-domain-registration-state",
    ],
  },
  "delete-registered-domain": {
    ...base,
    method: "DELETE",
    audit: "domain.removed",
    path: "/teams/{tid}/registered-domains/{domain}",
    hidesOtherMethods: true,
    summary: "Remove an email domain from your team",
    description: "Also removes its rules.",
    params: z.object({ tid, domain: domainName }),
    responses: { 204: null },
    errors: [
      "domain-registration-update-payment-required",
      "operation-forbidden-for-domain-registration-state",
      "not-found",
    ],
  },
});
