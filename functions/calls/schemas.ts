import * as z from "zod";

export const limitQuery = z.object({ limit: z.coerce.number().int().min(1).max(10).optional() });

const iceServer = z
  .object({ urls: z.array(z.string()).min(1), username: z.string(), credential: z.string() })
  .meta({ id: "RTCIceServer" });

const sftServer = z
  .object({
    urls: z.array(z.string()),
    username: z.string().optional(),
    credential: z.string().optional(),
  })
  .meta({ id: "SftServer" });

export const callConfig = z
  .object({
    ice_servers: z.array(iceServer).min(1),
    ttl: z.int().min(0).meta({ description: "Seconds for which this configuration can be used" }),
    sft_servers: z.array(sftServer).min(1).optional(),
    sft_servers_all: z.array(sftServer).optional(),
    is_federating: z.boolean().optional(),
  })
  .meta({ id: "RTCConfiguration" });

export const legacyCallConfig = callConfig.pick({ ice_servers: true, ttl: true });
