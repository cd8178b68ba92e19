import * as z from "zod";
import { dailyBudget } from "./types.ts";

/** Settings of search, connections and properties. */
export const peopleSettings = {
  /** Users of other teams cannot be found, even by handle. */
  searchSameTeamOnly: z.boolean().default(false),
  /** Accepted and sent connections of a user. */
  setUserMaxConnections: z.int().min(1).default(1000),
  /** Connection requests of a user a day (UTC). Each request reaches somebody who has not asked for it. Null: no limit. */
  setConnectionRequestDailyBudget: z
    .strictObject({
      /** Repeated requests to one user. Unblocking that user counts, too. */
      perPair: dailyBudget.default(10),
      /** All requests. */
      perSender: dailyBudget.default(2000),
    })
    .prefault({}),
  setPropertyMaxKeyLen: z.int().min(1).max(1024).default(1024),
  /** Bytes of JSON. */
  setPropertyMaxValueLen: z.int().min(1).max(524_288).default(524_288),
};
