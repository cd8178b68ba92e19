import { domainToUnicode } from "node:url";
import { parseDomain } from "./domain-name.ts";

export interface EmailAddress {
  /** As it was written, in composed letters. */
  readonly value: string;
  /** The local part, as it was written. */
  readonly localPart: string;
  /** The domain, in lower case and in ASCII. */
  readonly domain: string;
}

/** A dot-atom (RFC 5322 §3.2.3), 64 characters at most (RFC 5321 §4.5.3.1.1). */
const localPartPattern = /^(?=.{1,64}$)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;

/** Longest address that a path in angle brackets has room for (RFC 5321 §4.5.3.1.3). */
const maxLength = 254;

/**
 * Reads an email address, ignoring white space around it; undefined for anything else. Quoted local parts, comments and
 * literal IP addresses are not accepted, although mail allows them.
 */
export function parseEmailAddress(text: string): EmailAddress | undefined {
  const written = text.trim();
  const at = written.lastIndexOf("@");
  if (at < 0) return undefined;
  const localPart = written.slice(0, at);
  const domain = parseDomain(written.slice(at + 1));
  if (domain === undefined || !localPartPattern.test(localPart)) return undefined;
  if (localPart.length + 1 + domain.length > maxLength) return undefined;
  // Some characters count as ASCII ones, such as an ideographic full stop.
  const value = isAscii(domainToUnicode(domain)) && !isAscii(written) ? `${localPart}@${domain}` : written;
  return { value: value.normalize(), localPart, domain };
}

const isAscii = (text: string) => /^[ -~]*$/.test(text);

/** An address as mail servers accept it, with its domain in ASCII. Other texts are returned unchanged. */
export const toAsciiAddress = (value: string): string =>
  isAscii(value) ? value : value.replace(/(?<=@)[^@]*$/, (domain) => parseDomain(domain) ?? domain);

/**
 * The domain of a text whose local part does not matter, in lower case and in ASCII; undefined if it has no domain after an
 * `@`.
 */
export function domainOfEmail(text: string): string | undefined {
  const written = text.trim();
  const at = written.lastIndexOf("@");
  return at < 0 ? undefined : parseDomain(written.slice(at + 1));
}

/** An address as people write it: with its domain in Unicode. */
export const toUnicodeAddress = (value: string): string =>
  value.replace(/(?<=@)[^@]*$/, (domain) => domainToUnicode(domain) || domain);
