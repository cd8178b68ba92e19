import * as z from "zod";
import { parseDomain } from "./domain-name.ts";
import { parseEmailAddress } from "./email-address.ts";

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

/** An email address; an internationalised domain is turned into its ASCII form. */
export const emailAddress = z.string().transform((text, context) => {
  const address = parseEmailAddress(text);
  if (address !== undefined) return address.value;
  context.addIssue({ code: "custom", message: "not an email address" });
  return z.NEVER;
});
