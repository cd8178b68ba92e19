import { domainToASCII } from "node:url";

/** Characters of a domain, including the full stops of other scripts (Unicode TR 46 §2.3). */
const domainPattern = /^[\p{L}\p{M}\p{N}.。．｡-]+$/u;

/**
 * A domain in lower case and, if it is an internationalised one, in its ASCII form (IDNA). A domain without an ASCII
 * form is returned as it is.
 */
export function asciiDomain(text: string): string {
  const domain = text.toLowerCase();
  if (/^\p{ASCII}*$/u.test(domain) || !domainPattern.test(domain)) return domain;
  return domainToASCII(domain) || domain;
}

/** Labels of letters, digits and hyphens, 63 characters at most (RFC 1035 §2.3.4); the last one is not a number. */
const namePattern =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The ASCII form of a domain name with two labels or more; undefined for anything else. */
export function parseDomain(text: string): string | undefined {
  const domain = asciiDomain(text);
  return namePattern.test(domain) ? domain : undefined;
}
