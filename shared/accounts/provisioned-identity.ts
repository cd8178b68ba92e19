import { createHash } from "node:crypto";
import * as z from "zod";
import { compose } from "#shared/platform/compose.ts";
import { storedObject } from "#shared/platform/data/stored-item.ts";

/** How an identity provider names a user (SAML core 2.2.3): the text of a `NameID` element, and its attributes. */
const nameId = storedObject({
  text: z.string(),
  format: z.string().optional(),
  nameQualifier: z.string().optional(),
  spNameQualifier: z.string().optional(),
  spProvidedId: z.string().optional(),
});
export type NameId = z.infer<typeof nameId>;

/** A user as known to an identity provider. */
export const samlIdentity = storedObject({
  /** Entity id of the identity provider. */
  issuer: z.string(),
  nameId,
  /**
   * Team that has the identity provider, in version 2: providers of other teams with the same issuer do not vouch for
   * this user. Absent in version 1, and in identities stored before teams were noted.
   */
  teamId: z.uuid().optional(),
});
export type SamlIdentity = z.infer<typeof samlIdentity>;

/** A user as known to the directory that provisions the team. */
export const scimRecord = storedObject({
  externalId: z.string(),
  /** The user name as the directory has sent it; absent: it is the handle. */
  userName: z.string().optional(),
  /** Unix milliseconds. */
  createdAt: z.int(),
  /** Unix milliseconds. */
  updatedAt: z.int(),
});

/**
 * The claim on a SAML identity, which only one account of the installation, or of the identity's team, can have.
 * Neither the case of the name nor its attributes matter. Keys are hashes, because the texts may be longer than a key.
 */
export const samlClaim = ({ issuer, nameId: { text }, teamId }: SamlIdentity) => ({
  kind: "saml" as const,
  value: text,
  key: hash(teamId === undefined ? issuer : JSON.stringify([teamId, issuer])),
  sortKey: hash(foldCase(text)),
});

/** Both possible claims of a team's user on a SAML identity: within the team, and within the installation. */
export const samlClaimsInTeam = (teamId: string, identity: Omit<SamlIdentity, "teamId">) => [
  samlClaim({ ...identity, teamId }),
  samlClaim(identity),
];

/** The claim on an external id, which only one account of the team can have. */
export const externalIdClaim = (teamId: string, externalId: string) => ({
  kind: "external-id" as const,
  value: externalId,
  key: teamId,
  sortKey: hash(externalId),
});

/** The claim on a user name that is no handle, which only one account of the team can have. Its case does not matter. */
export const userNameClaim = (teamId: string, userName: string) => ({
  kind: "user-name" as const,
  value: userName,
  key: teamId,
  sortKey: hash(foldCase(userName)),
});

/** Whether two user names are the same (RFC 7643 §4.1.1). */
export const isSameUserName = (one: string, other: string): boolean => foldCase(one) === foldCase(other);

/**
 * Maps spellings that differ only in case to one, `ß` and `SS` among them. Case folding keeps `ı` and `i` apart
 * (Unicode 5.18), although both have `I` as upper case: they may belong to two people.
 */
const foldCase = (text: string) =>
  compose(text)
    .split("ı")
    .map((part) => part.toUpperCase().toLowerCase())
    .join("ı");

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
