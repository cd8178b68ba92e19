import * as z from "zod";
import { defineRoutes } from "#shared/platform/http/route.ts";

const limitQuery = z.object({
  limit: z.coerce.number().int().min(1).max(10).optional().meta({
    description: "Maximum number of TURN servers in the answer, taken in turn from UDP, TLS and TCP",
  }),
});

const iceServer = z
  .object({
    urls: z
      .array(z.string())
      .min(1)
      .meta({ description: "Such as turn:turn.example.com:3478?transport=udp" }),
    username: z.string(),
    credential: z.string().meta({ description: "Valid for hours" }),
  })
  .meta({ id: "RTCIceServer", description: "A TURN server" });

const sftServer = z
  .object({
    urls: z.array(z.string()).meta({ description: "Such as https://sft.example.com" }),
    username: z.string().optional(),
    credential: z.string().optional(),
  })
  .meta({ id: "SftServer", description: "A server for conference calls" });

const callConfig = z
  .object({
    ice_servers: z.array(iceServer).min(1),
    ttl: z.int().min(0).meta({ description: "Seconds for which this configuration can be used" }),
    sft_servers: z
      .array(sftServer)
      .min(1)
      .optional()
      .meta({ description: "Servers on which to start a conference" }),
    sft_servers_all: z
      .array(sftServer)
      .optional()
      .meta({ description: "All servers, if the operator lists them and the user may hold conferences" }),
    is_federating: z.boolean().optional().meta({ description: "Whether calls reach users of other domains" }),
  })
  .meta({ id: "RTCConfiguration" });

const legacyCallConfig = callConfig.pick({ ice_servers: true, ttl: true });

export const routes = defineRoutes({
  "get-calls-config-v2": {
    method: "GET",
    path: "/calls/config/v2",
    auth: "user",
    summary: "Get the servers for calls, with credentials",
    query: limitQuery,
    responses: { 200: callConfig },
    errors: ["no-call-servers"],
  },
  "get-calls-config": {
    method: "GET",
    path: "/calls/config",
    until: 7,
    auth: "user",
    summary: "Get the TURN servers for calls over UDP",
    description: "For old clients; `get-calls-config-v2` has all servers.",
    responses: { 200: legacyCallConfig },
    errors: ["no-call-servers"],
  },
});
