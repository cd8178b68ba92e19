import * as z from "zod";
import * as wire from "#shared/platform/http/wire-types.ts";
import type { Provider } from "#shared/services/provider.ts";
import type { Service } from "#shared/services/service.ts";

export const providerPath = z.object({ pid: wire.uuid.meta({ description: "Id of the provider" }) });
export const servicePath = providerPath.extend({ sid: wire.uuid.meta({ description: "Id of the service" }) });

export const query = z
  .object({
    provider: wire.uuid.optional().meta({ description: "All services of this provider" }),
    name: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .meta({ description: "Or enabled services whose names begin so" }),
  })
  .refine(({ provider, name }) => (provider === undefined) !== (name === undefined), {
    message: "name either a provider or the beginning of a name",
  });

export const change = z
  .object({ enabled: z.boolean() })
  .meta({ id: "ServiceChangeByOperator", examples: [{ enabled: false }] });

export const service = z
  .object({
    id: z.string(),
    provider: z.string(),
    name: z.string(),
    summary: z.string(),
    description: z.string(),
    enabled: z.boolean(),
    base_url: z.string(),
    tags: z.array(z.string()),
  })
  .meta({ id: "ServiceForOperators", description: "Without its tokens" });

export const services = z.object({ services: z.array(service) }).meta({ id: "ServicesForOperators" });

export const provider = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string().optional(),
    url: z.string(),
    description: z.string(),
    created_at: z.string(),
    services: z.array(service),
  })
  .meta({ id: "ProviderForOperators" });

export const toServiceView = (found: Service) => ({
  id: found.serviceId,
  provider: found.providerId,
  name: found.name,
  summary: found.summary,
  description: found.description,
  enabled: found.isEnabled,
  base_url: found.baseUrl,
  tags: [...found.tags],
});

export const toProviderView = (
  { providerId, name, email, url, description, createdAt }: Provider,
  services: readonly Service[],
) => ({
  id: providerId,
  name,
  ...(email !== undefined && { email }),
  url,
  description,
  created_at: new Date(createdAt).toISOString(),
  services: services.map(toServiceView),
});
