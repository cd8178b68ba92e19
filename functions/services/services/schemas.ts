import * as z from "zod";
import { profileAssets } from "#shared/accounts/profiles/profile-fields.ts";
import { hasMore, uuid } from "#shared/platform/http/wire-types.ts";
import { type Service, serviceTag } from "#shared/services/service.ts";

export const serviceId = uuid.meta({ description: "Id of the service" });
export const providerId = uuid.meta({ description: "Id of the provider" });

/** Size of a page. */
export const pageSize = z.coerce
  .number()
  .int()
  .min(10)
  .max(100)
  .default(20)
  .meta({ description: "Most services in the answer" });

/** A service as users see it. */
export const serviceProfile = z
  .object({
    id: serviceId,
    provider: providerId,
    name: z.string().meta({ description: "Name, under which bots of the service appear" }),
    summary: z.string().meta({ description: "One line about the service" }),
    description: z.string().meta({ description: "What the service does, at length" }),
    assets: profileAssets,
    tags: z.array(serviceTag).meta({ description: "What the directory lists the service under" }),
    enabled: z.boolean().meta({ description: "Whether the service can be added to conversations" }),
  })
  .meta({ id: "ServiceProfile" });

export const servicePage = z
  .object({ has_more: hasMore, services: z.array(serviceProfile) })
  .meta({ id: "ServiceProfilePage" });

export const toProfile = (service: Service): z.input<typeof serviceProfile> => ({
  id: service.serviceId,
  provider: service.providerId,
  name: service.name,
  summary: service.summary,
  description: service.description,
  assets: service.assets,
  tags: service.tags,
  enabled: service.isEnabled,
});
