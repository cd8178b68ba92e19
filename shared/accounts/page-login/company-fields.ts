import * as z from "zod";

/** Fields of the login through an identity provider, on every page that has one. */

/** The longest name of a company: an address. */
export const companyText = z.string().max(320);

export const companyField = companyText
  .default("")
  .meta({ description: "Login code of an identity provider, an address, or nothing" });

export const companyProof = z
  .string()
  .max(2048)
  .meta({ description: "Who has logged in, and in which browser" });
