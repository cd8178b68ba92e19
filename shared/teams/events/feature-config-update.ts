import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";
import { featureStatus, lockStatus } from "#shared/registry/feature-configs.ts";
import { featureNames } from "../features/catalogue.ts";

const data = z.object({
  status: featureStatus,
  lockStatus,
  ttl: z.literal("unlimited"),
  config: z.record(z.string(), z.unknown()).optional(),
});

/** A feature of a team changes. */
export const featureConfigUpdate = defineEvent({
  type: "feature-config.update",
  summary: "A feature of your team changes",
  recipients: "team",
  skipsOrigin: false,
  schema: z.object({ team: z.uuid(), name: z.enum(featureNames), data }),
});
