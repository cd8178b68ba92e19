import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";

/** A login that a browser or an app has started and the identity provider has not answered yet. */
export const loginRequest = storedItem(
  {
    table: "provisioning",
    kind: "login-request",
    key: ["request#*", "request"],
    subject: { nobody: "whoever logs in, before they have" },
  },
  storedObject({
    /** `ID` of the AuthnRequest. */
    id: z.string(),
    idpId: z.uuid(),
    /** Issuer of the identity provider at the time. */
    issuer: z.string(),
    /** Addresses at which an app wants the result; absent: a page shows it. */
    redirects: storedObject({ success: z.string(), error: z.string() }).optional(),
    /** The session of the pages to which the browser returns, instead of a page and a cookie. */
    pageSession: z.uuid().optional(),
    /** Path to which it returns there; absent: the account pages. */
    returnTo: z.string().optional(),
    /** Unix milliseconds since which the person must have been authenticated; absent: at any time. */
    authenticatedSince: z.int().optional(),
    /** Label of the cookie. */
    label: z.string().optional(),
    /** Unix milliseconds until which it can be answered. */
    expiresAt: z.int(),
    /** Unix seconds; twice the lifetime, so that a late answer can still be reported in the right place. */
    purgeAtSeconds: z.int(),
    /** Whether a response has led to a result. */
    isAnswered: z.literal(true).optional(),
  }),
);
export type LoginRequest = Stored<typeof loginRequest>;
