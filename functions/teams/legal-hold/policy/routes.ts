import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "guard-legalhold-policy-conflicts": {
    method: "PUT",
    audit: unaudited.reading,
    path: "/i/guard-legalhold-policy-conflicts",
    auth: "internal",
    summary: "Check that legal hold does not keep a user apart from the owners of devices",
    body: schemas.guardedClients,
    responses: { 200: null },
    errors: ["missing-legalhold-consent"],
  },
});
