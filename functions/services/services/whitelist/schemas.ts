import * as z from "zod";
import { queryFlag, uuid } from "#shared/platform/http/wire-types.ts";
import { pageSize, providerId, serviceId } from "../schemas.ts";

export const teamPath = z.object({ tid: uuid.meta({ description: "Id of the team" }) });

export const whitelistChange = z
  .object({
    provider: providerId,
    id: serviceId,
    whitelisted: z.boolean().meta({ description: "Whether the team is to admit the service" }),
  })
  .meta({
    id: "UpdateServiceWhitelist",
    examples: [
      {
        provider: "2c1d7e90-53a4-4b1f-8f4e-0d6c7b8a9e21",
        id: "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60",
        whitelisted: true,
      },
    ],
  });

export const whitelistQuery = z.object({
  prefix: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .meta({ description: "Beginning of the name, in upper or lower case" }),
  filter_disabled: queryFlag
    .optional()
    .meta({ description: "Whether to leave out services that are not enabled; they are by default" }),
  size: pageSize,
});
