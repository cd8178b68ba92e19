import * as z from "zod";
import { dailyBudget, seconds } from "./types.ts";

/** Settings of devices and MLS. */
export const deviceSettings = {
  setUserMaxPermClients: z.int().min(1).default(7),
  setEnableMLS: z.boolean().default(false),
  /** Key packages valid for longer are refused. The default is 90 days, because clients create them for 84. */
  setKeyPackageMaximumLifetime: seconds.min(1).default(7_776_000),
  /**
   * Claims of prekeys, and as many of key packages, per day (UTC); a claim takes one of each device. Beyond these, claims
   * of prekeys get the last-resort prekey, and claims of key packages are refused.
   */
  setClaimDailyBudget: z
    .strictObject({
      /** Claims that one user may make from another; null for no limit. */
      perPair: dailyBudget.default(100),
      /**
       * Claims from one user by all others together who share neither a team nor a connection with that user; null for no
       * limit.
       */
      ofStrangers: dailyBudget.default(10),
    })
    .prefault({}),
  /** Lifetime of the nonces of DPoP proofs. */
  setNonceTtlSecs: seconds.min(1).default(300),
  setDpopTokenExpirationTimeSecs: seconds.min(1).default(30),
};
