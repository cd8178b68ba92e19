import * as z from "zod";

/** Settings of search, connections and properties. */
export const peopleSettings = {
  /** Whether users of other teams cannot even be found by handle. */
  searchSameTeamOnly: z.boolean().default(false),
  /** Accepted and sent connections of one user. */
  setUserMaxConnections: z.int().min(1).default(1000),
  setPropertyMaxKeyLen: z.int().min(1).max(1024).default(1024),
  /** Bytes of JSON. */
  setPropertyMaxValueLen: z.int().min(1).max(524_288).default(524_288),
};
