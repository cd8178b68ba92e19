import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "i-sign-statement": {
    method: "GET",
    audit: { reads: "data.exported" },
    path: "/i/statements/{kind}/{sha256}",
    auth: "internal",
    summary: "Sign what an operator's command states",
    description:
      "The signature says that somebody who may call this has stated the content with this hash, and when; the audit trail " +
      "says who. It proves nothing else.",
    params: schemas.statementPath,
    responses: { 200: schemas.signature },
    errors: ["jwt-error"],
  },
  "i-list-statement-keys": {
    method: "GET",
    audit: unaudited.impersonal,
    path: "/i/statements/keys",
    auth: "internal",
    summary: "List the public keys with which statements were ever signed",
    responses: { 200: schemas.statementKeys },
    errors: [],
  },
});
