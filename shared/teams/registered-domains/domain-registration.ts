import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";

/** Where people with an address of the domain are sent instead of registering or logging in here. */
const redirect = z.discriminatedUnion("kind", [
  /** `locked`: the operator has closed the domain. `pre-authorized`: its owner may choose a backend. */
  storedObject({ kind: z.enum(["none", "locked", "pre-authorized", "no-registration"]) }),
  storedObject({ kind: z.literal("sso"), identityProviderId: z.uuid() }),
  storedObject({ kind: z.literal("backend"), configUrl: z.string(), webappUrl: z.string().optional() }),
]);
export type DomainRedirect = z.infer<typeof redirect>;

/** Which teams may invite people with an address of the domain. */
const teamInvite = z.discriminatedUnion("kind", [
  storedObject({ kind: z.enum(["allowed", "not-allowed"]) }),
  storedObject({ kind: z.literal("team"), teamId: z.uuid() }),
]);
export type TeamInvite = z.infer<typeof teamInvite>;

/** A registered email domain, as stored. */
export const domainRegistrationItem = storedItem(
  {
    table: "domains",
    kind: "registration",
    key: ["domain#*", "registration"],
    subject: {
      team: ["authorizedTeam"],
      secrets: ["dnsVerificationToken", "ownershipTokenHash"],
      otherwise: "set by operators, or by whoever has proved the domain",
    },
  },
  storedObject({
    /** In lower case and in ASCII. */
    domain: z.string(),
    redirect,
    teamInvite,
    /** The team that has claimed the domain. */
    authorizedTeam: z.uuid().optional(),
    /** Value of the TXT record that verified the domain last. */
    dnsVerificationToken: z.string().optional(),
    /** Hash of the token that proves ownership, which the last verification returned. */
    ownershipTokenHash: z.string().optional(),
    /** Changes with each write. */
    version: z.uuid(),
  }),
);
export type DomainRegistration = Stored<typeof domainRegistrationItem>;
