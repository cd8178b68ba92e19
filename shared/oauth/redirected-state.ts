import * as z from "zod";

/** API Gateway allows 10,240 bytes of headers in an answer, of which the redirect URL may take 2,048. */
const mostBytes = 6150;

/** State for the address of a redirect, where most characters other than letters and digits take more bytes. */
export const redirectedState = z
  .string()
  .max(4096)
  .refine(
    (state) => new URLSearchParams({ state }).toString().length <= mostBytes,
    "is too long for the address of a redirect",
  )
  .meta({ description: "Returned in the redirect" });
