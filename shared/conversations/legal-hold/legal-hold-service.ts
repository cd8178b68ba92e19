import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";

/** The service that creates the legal hold devices of a team, as stored. */
export const legalHoldService = storedItem(
  {
    table: "teams",
    kind: "legal-hold-service",
    key: ["team#*", "legal-hold-service"],
    subject: { team: "partition", secrets: ["authToken"] },
  },
  storedObject({
    teamId: z.uuid(),
    /** HTTPS; paths of calls are appended to it. */
    baseUrl: z.string(),
    /** PEM, as an admin has sent it. */
    publicKey: z.string(),
    /** Fingerprint of the key that the service proves in every call; see `rsaFingerprint`. */
    fingerprint: z.string(),
    /** Bearer token with which the service recognises this backend. */
    authToken: z.string(),
  }),
);
export type LegalHoldService = Stored<typeof legalHoldService>;
