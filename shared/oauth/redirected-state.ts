import * as z from "zod";

/** API Gateway lets the headers of an answer have 10,240 bytes, of which the redirect URL may have 2,048. */
const mostBytes = 6150;

/** State that comes back in the address of a redirect, where most characters other than letters and digits are longer. */
export const redirectedState = z
  .string()
  .max(4096)
  .refine(
    (state) => new URLSearchParams({ state }).toString().length <= mostBytes,
    "is too long for the address of a redirect",
  )
  .meta({ description: "Returned in the redirect" });
