import * as z from "zod";
import { dailyBudget, seconds } from "./types.ts";

/** Settings of devices and MLS. */
export const deviceSettings = {
  setUserMaxPermClients: z.int().min(1).default(7),
  setEnableMLS: z.boolean().default(false),
  /** Longest lifetime of a key package. The default is 90 days, because clients create them for 84. */
  setKeyPackageMaximumLifetime: seconds.min(1).default(7_776_000),
  /**
   * Claims of prekeys or key packages a day (UTC). A claim takes one of each device. Beyond these, claims of prekeys get the
   * last-resort prekey, and claims of key packages are refused. Null: no limit.
   */
  setClaimDailyBudget: z
    .strictObject({
      /** By one user from another. */
      perPair: dailyBudget.default(100),
      /** By all strangers from one user. These share neither a team nor a connection with that user. */
      ofStrangers: dailyBudget.default(10),
    })
    .prefault({}),
  /** Lifetime of nonces of DPoP proofs. */
  setNonceTtlSecs: seconds.min(1).default(300),
  setDpopTokenExpirationTimeSecs: seconds.min(1).default(30),
};
