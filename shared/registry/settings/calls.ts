import * as z from "zod";
import { seconds } from "./types.ts";

/** Settings of calls. */
export const callSettings = {
  turn: z
    .strictObject({
      /** Such as `turn:turn.example.com:3478?transport=udp`. */
      servers: z
        .array(z.string().regex(/^turns?:[^:?\s]+:\d+(\?transport=(udp|tcp))?$/, "turn:host:port"))
        .default([]),
      /** How long clients may use a configuration. */
      configTTL: seconds.min(1).default(3600),
      /** Lifetime of the credentials. */
      tokenTTL: seconds.min(1).default(21_600),
    })
    .prefault({}),
  /** The SFT server for clients. */
  setSftStaticUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** SFT servers found by DNS: SRV records `_<service>._tcp.<baseDomain>`. */
  setSft: z.strictObject({ baseDomain: z.hostname(), service: z.string().default("sft") }).optional(),
  setSftListAllServers: z.enum(["enabled", "disabled"]).default("disabled"),
  /** Credentials for SFT servers; absent: none. */
  sftToken: z.strictObject({ ttl: seconds.min(1) }).optional(),
};
