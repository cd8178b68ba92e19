import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { samlApiVersion } from "./identity-provider.ts";
import { scimToken } from "./scim-token.ts";

/**
 * How users get into a team: one item with all tokens and, in short, all identity providers. Every change of one of
 * them requires the item's revision, so that limits and rules across them hold under concurrency.
 */
export const teamProvisioning = storedItem(
  {
    table: "provisioning",
    kind: "team",
    key: ["team#*", "provisioning"],
    subject: { team: "partition", secrets: ["hash"], mentions: "creators of tokens" },
  },
  storedObject({
    teamId: z.uuid(),
    /** 0 as long as nothing was ever stored. */
    revision: z.int(),
    /** Oldest first. */
    providers: z.array(
      storedObject({
        id: z.uuid(),
        issuer: z.string(),
        apiVersion: samlApiVersion,
        handle: z.string(),
        domain: z.string().optional(),
      }),
    ),
    /** Oldest first. */
    tokens: z.array(scimToken),
    /** Issuers whose users are being deleted, with their former identity provider; not to be used until that is done. */
    purgedIssuers: z.array(z.string()).optional(),
  }),
);
export type TeamProvisioning = Stored<typeof teamProvisioning>;
