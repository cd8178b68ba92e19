import * as z from "zod";
import { seconds } from "./types.ts";

/** Settings of devices and MLS. */
export const deviceSettings = {
  setUserMaxPermClients: z.int().min(1).default(7),
  setEnableMLS: z.boolean().default(false),
  /** Key packages valid for longer are refused. The default is 90 days, because clients create them for 84. */
  setKeyPackageMaximumLifetime: seconds.min(1).default(7_776_000),
  /** Lifetime of the nonces of DPoP proofs. */
  setNonceTtlSecs: seconds.min(1).default(300),
  setDpopTokenExpirationTimeSecs: seconds.min(1).default(30),
};
