import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";

/** A third-party app that the operator has approved. */
export const appItem = storedItem(
  { table: "oauth", kind: "app", key: ["client#*", "client"], subject: { nobody: "set by operators" } },
  storedObject({
    /** Id of the app; tables call it this, and the interface `client_id`. */
    clientId: z.uuid(),
    applicationName: z.string(),
    redirectUrl: z.string(),
    /** Absent for an app with only one redirect URL. */
    furtherRedirectUrls: z.array(z.string()).optional(),
    /** Newest first; older ones stay valid for a while, so that the app's operator can switch over. */
    secrets: z.array(
      storedObject({
        /** SHA-256 in hex: the secret is random enough to need no slow hash. */
        hash: z.string(),
        /** Unix milliseconds. */
        expiresAt: z.int().optional(),
      }),
    ),
    /** Unix milliseconds. */
    createdAt: z.int(),
  }),
);
export type App = Stored<typeof appItem>;

/** Whether a redirect URL is exactly one of the registered ones (RFC 9700 §2.1). */
export const isRegistered = ({ redirectUrl, furtherRedirectUrls = [] }: App, candidate: string): boolean =>
  [redirectUrl, ...furtherRedirectUrls].includes(candidate);
