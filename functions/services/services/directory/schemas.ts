import * as z from "zod";
import { commaSeparated } from "#shared/platform/http/wire-types.ts";
import { maxTags, serviceTag } from "#shared/services/service-tags.ts";
import { pageSize, providerId, serviceId } from "../schemas.ts";

export const providerPath = z.object({ pid: providerId });
export const servicePath = z.object({ pid: providerId, sid: serviceId });

/** Tags, all of which a service must have. */
const conjunction = z
  .string()
  .transform((text) => text.split("."))
  .pipe(z.array(serviceTag).min(1).max(maxTags));

export const directoryQuery = z
  .object({
    tags: commaSeparated(conjunction, maxTags).optional().meta({
      description:
        "Tags joined by `.`, of which a service must have all; up to three such alternatives, separated by commas",
    }),
    start: z.string().optional().meta({
      description:
        "Beginning of the name, in upper or lower case: up to 128 characters, and at least one without `tags`",
    }),
    size: pageSize,
  })
  .refine(({ tags, start }) => tags !== undefined || start !== undefined, "tags or start is needed");

export const tagList = z.array(serviceTag).meta({ id: "ServiceTagList" });
