import { isIPv6 } from "node:net";
import * as z from "zod";
import { hostName } from "#shared/platform/address-types.ts";
import { seconds } from "./types.ts";

/** A URI of a TURN server (RFC 7065 §3.1), by the transports that clients know. */
const turnServer = z.string().refine((text) => {
  const parts = /^turns?:(?:\[(.*)\]|([^:?]*))(?::(\d{1,5}))?(?:\?transport=(?:udp|tcp))?$/.exec(text);
  if (parts === null) return false;
  const [, bracketed, plain, port = "1"] = parts;
  const isHost = plain === undefined ? isIPv6(bracketed ?? "") : hostName.safeParse(plain).success;
  return isHost && Number(port) >= 1 && Number(port) <= 65_535;
}, "turn:host or turn:host:port, with an IPv6 address in brackets");

/** Settings of calls. */
export const callSettings = {
  turn: z
    .strictObject({
      /** Such as `turns:turn.example.com`. Also `turn:turn.example.com:3478?transport=udp` or `turn:[2001:db8::1]:3478`. */
      servers: z.array(turnServer).default([]),
      /** How long clients use a configuration. */
      configTTL: seconds.min(1).default(3600),
      /** Lifetime of the credentials. */
      tokenTTL: seconds.min(1).default(21_600),
    })
    .prefault({}),
  /** The SFT server for clients. */
  setSftStaticUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** SFT servers found by DNS. SRV records: `_<service>._tcp.<baseDomain>`. */
  setSft: z.strictObject({ baseDomain: hostName, service: z.string().default("sft") }).optional(),
  setSftListAllServers: z.enum(["enabled", "disabled"]).default("disabled"),
  /** Credentials for SFT servers. Absent: none. */
  sftToken: z.strictObject({ ttl: seconds.min(1) }).optional(),
};
