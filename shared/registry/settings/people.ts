import * as z from "zod";
import { dailyBudget } from "./types.ts";

/** Settings of search, connections and properties. */
export const peopleSettings = {
  /** Whether users of other teams cannot even be found by handle. */
  searchSameTeamOnly: z.boolean().default(false),
  /** Accepted and sent connections of one user. */
  setUserMaxConnections: z.int().min(1).default(1000),
  /** Connections that one user may request per day (UTC): each request reaches somebody who has not asked for it. */
  setConnectionRequestDailyBudget: z
    .strictObject({
      /** Requests to one user after the first, and unblocking that user; null for no limit. */
      perPair: dailyBudget.default(10),
      /** All of these together, including first requests; null for no limit. */
      perSender: dailyBudget.default(2000),
    })
    .prefault({}),
  setPropertyMaxKeyLen: z.int().min(1).max(1024).default(1024),
  /** Bytes of JSON. */
  setPropertyMaxValueLen: z.int().min(1).max(524_288).default(524_288),
};
