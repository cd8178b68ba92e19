import { isIP } from "node:net";
import * as z from "zod";
import { parseDomain } from "./domain-name.ts";
import { parseEmailAddress, toAsciiAddress } from "./email-address.ts";

/** A domain name; an internationalised one is turned into its ASCII form. */
export const domainName = z
  .string()
  .max(253)
  .meta({ examples: ["example.com"] })
  .transform((text, context) => {
    const domain = parseDomain(text);
    if (domain !== undefined) return domain;
    context.addIssue({ code: "custom", message: "not a domain name" });
    return z.NEVER;
  });

/** A name with one label, as in a local network. */
const localName = /^(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/**
 * The name of a host in a setting: a domain, a name in a local network, or an IPv4 address. An internationalised domain is
 * turned into its ASCII form; any other spelling stays, because ids and cookies have it in them.
 */
export const hostName = z.string().transform((text, context) => {
  if (localName.test(text) || isIP(text) === 4) return text;
  const domain = parseDomain(text);
  if (domain !== undefined) return domain === text.toLowerCase() ? text : domain;
  context.addIssue({ code: "custom", message: "not a host name" });
  return z.NEVER;
});

/** An email address; an internationalised domain is turned into its ASCII form. */
export const emailAddress = z.string().transform((text, context) => {
  const address = parseEmailAddress(text);
  if (address !== undefined) return toAsciiAddress(address.value);
  context.addIssue({ code: "custom", message: "not an email address" });
  return z.NEVER;
});
