import { createHash } from "node:crypto";
import { parseDomain } from "#shared/platform/domain-name.ts";
import { type EmailAddress, parseEmailAddress, toAsciiAddress } from "#shared/platform/email-address.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { externalIdClaim, type SamlIdentity, samlClaim, userNameClaim } from "./provisioned-identity.ts";

/**
 * A text by which an account can be found: an address, number or handle, or the name of its user at a provider or in a
 * directory.
 */
export interface Identity {
  readonly kind: "email" | "phone" | "handle" | "saml" | "external-id" | "user-name";
  /** As the user wrote it. */
  readonly value: string;
  /** The unique text under which it is claimed: equal for all spellings of one identity. */
  readonly key: string;
  /** Second half of that text, for identities that are listed by the first; absent: the first is unique. */
  readonly sortKey?: string;
}

/** An identity that codes can be sent to. */
export type ContactIdentity = Identity & { readonly kind: "email" | "phone" };
type EmailIdentity = Identity & { readonly kind: "email" };

/**
 * Parses an email address. Its key is in lower case, with the domain in ASCII and without `+suffix`, unless the domain
 * is trusted to give each suffix to another person.
 * @throws ApiError `invalid-email`
 */
export function emailIdentity(text: string, settings: Settings): EmailIdentity {
  const address = parseEmailAddress(text);
  if (address === undefined) throw new ApiError("invalid-email");
  return identityOf(address, settings);
}

/** The identity of an address that was parsed when it was stored, perhaps by a version that took more addresses. */
export function storedEmailIdentity(value: string, settings: Settings): EmailIdentity {
  const at = value.lastIndexOf("@");
  if (at < 0) throw new Error("A stored address has no @");
  return identityOf({ value, localPart: value.slice(0, at), domain: mailDomain(value) }, settings);
}

function identityOf({ value, localPart, domain }: EmailAddress, settings: Settings): EmailIdentity {
  const local = localPart.toLowerCase();
  const keepsSuffix = settings.setTrustedSuffixDomains.includes(domain);
  const base = keepsSuffix ? local : local.replace(/(?<=.)\+.*$/, "");
  return { kind: "email", value, key: `${base}@${domain}` };
}

/** Spellings of an identity in items: as it was sent, with the domain as in mails, and as it is claimed. */
export const spellingsOf = ({ key, value }: Identity): string[] => [value, toAsciiAddress(value), key];

/** The domain of a stored address, in lower case and in ASCII. */
export const mailDomain = (value: string): string =>
  toAsciiAddress(value)
    .slice(value.lastIndexOf("@") + 1)
    .toLowerCase();

/** Whether two addresses are the same, ignoring case and how an internationalised domain is written. */
export const isSameMailbox = (address: string | undefined, { value }: ContactIdentity): boolean =>
  address !== undefined && toAsciiAddress(address).toLowerCase() === toAsciiAddress(value).toLowerCase();

/** Parses a phone number in E.164 form: `+` and 8–15 digits. @throws ApiError `invalid-phone` */
export function phoneIdentity(text: string): ContactIdentity {
  const value = text.trim();
  if (!/^\+[1-9]\d{7,14}$/.test(value)) throw new ApiError("invalid-phone");
  return { kind: "phone", value, key: value };
}

/** Parses an address or number. @throws ApiError `invalid-email`, `invalid-phone`, `bad-request` without either */
export function contactIdentity(
  address: { email?: string; phone?: string },
  settings: Settings,
): ContactIdentity {
  if (address.email !== undefined) return emailIdentity(address.email, settings);
  if (address.phone !== undefined) return phoneIdentity(address.phone);
  throw new ApiError("bad-request", { message: "An email address or a phone number is needed" });
}

/** What a block of all addresses at a domain is listed as; no address has an empty local part. */
const domainIdentity = (domain: string): EmailIdentity => ({
  kind: "email",
  value: `@${domain}`,
  key: `@${domain}`,
});

/**
 * Parses what is to be blocked: an address, a number, or a domain after an `@`.
 * @throws ApiError as `contactIdentity` does
 */
export function blockedIdentity(
  address: { email?: string; phone?: string },
  settings: Settings,
): ContactIdentity {
  if (!address.email?.startsWith("@")) return contactIdentity(address, settings);
  const domain = parseDomain(address.email.slice(1));
  if (domain === undefined) throw new ApiError("invalid-email");
  return domainIdentity(domain);
}

/** All that, if blocked, refuses an identity. */
export const refusedWith = (identity: ContactIdentity): ContactIdentity[] =>
  identity.kind === "phone" || identity.key.startsWith("@")
    ? [identity]
    : [identity, domainIdentity(mailDomain(identity.key))];

/**
 * Parses the text that somebody enters to log in. A malformed one gets a key that nobody can have, so that it fails
 * like an unknown identity.
 */
export function enteredIdentity(
  { email, phone, handle }: { readonly email?: string; readonly phone?: string; readonly handle?: string },
  settings: Settings,
): Identity {
  try {
    if (handle === undefined) return contactIdentity({ email, phone }, settings);
    if (handle !== "" && handle.length <= longestHandle) return handleIdentity(handle);
  } catch (error) {
    if (!(error instanceof ApiError) || error.error === "bad-request") throw error;
  }
  const kind = handle !== undefined ? "handle" : email !== undefined ? "email" : "phone";
  return { kind, value: "", key: `?${hashedText(handle ?? email ?? phone ?? "")}` };
}

/** Safe maximum length of a key. */
const longestHandle = 256;

const hashedText = (text: string) => createHash("sha256").update(text).digest("hex");

/** The identities of an address and a number, as far as they are given; both were parsed when they were stored. */
export const storedContacts = (
  { email, phone }: { readonly email?: string | undefined; readonly phone?: string | undefined },
  settings: Settings,
): ContactIdentity[] => [
  ...(email === undefined ? [] : [storedEmailIdentity(email, settings)]),
  ...(phone === undefined ? [] : [phoneIdentity(phone)]),
];

/** The identity of a handle. Handles are in lower case; at login the case does not matter. */
export const handleIdentity = (text: string): Identity => ({
  kind: "handle",
  value: text,
  key: text.toLowerCase(),
});

/** The identities that an account holds. */
export function identitiesOf(
  account: {
    email?: string;
    phone?: string;
    handle?: string;
    samlIdentity?: SamlIdentity;
    scim?: { externalId: string; userName?: string };
    teamId?: string;
  },
  settings: Settings,
): Identity[] {
  const { samlIdentity, scim, teamId } = account;
  return [
    ...storedContacts(account, settings),
    ...(account.handle === undefined ? [] : [handleIdentity(account.handle)]),
    ...(samlIdentity === undefined ? [] : [samlClaim(samlIdentity)]),
    ...(scim === undefined || teamId === undefined ? [] : [externalIdClaim(teamId, scim.externalId)]),
    ...(scim?.userName === undefined || teamId === undefined ? [] : [userNameClaim(teamId, scim.userName)]),
  ];
}
