import * as z from "zod";
import { deviceId } from "#shared/platform/http/device-id.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { userId } from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";

const protectee = z
  .discriminatedUnion("tag", [
    z.object({ tag: z.literal("ProtectedUser"), contents: userId }),
    z.object({ tag: z.enum(["UnprotectedBot", "LegalholdPlusFederationNotImplemented"]) }),
  ])
  .meta({
    id: "LegalholdProtectee",
    description: "Who exchanges messages; bots are not protected",
  });

const guardedClients = z
  .object({
    glhProtectee: protectee,
    glhUserClients: z.record(userId, z.array(deviceId)).meta({ description: "Devices of others, by user" }),
  })
  .meta({
    id: "GuardLegalholdPolicyConflicts",
    examples: [
      {
        glhProtectee: { tag: "ProtectedUser", contents: "3f5f2f1e-6f0c-4d3a-9a55-0a7a3f5b1c2d" },
        glhUserClients: { "b7f0c7a4-54b4-4b0b-8a53-8f5e8f3c9d10": ["6a01b2c3d4e5f607"] },
      },
    ],
  });

export const routes = defineRoutes({
  "guard-legalhold-policy-conflicts": {
    method: "PUT",
    audit: unaudited.reading,
    path: "/i/guard-legalhold-policy-conflicts",
    auth: "internal",
    summary: "Check that legal hold does not keep a user apart from the owners of devices",
    body: guardedClients,
    responses: { 200: null },
    errors: ["missing-legalhold-consent"],
  },
});
