import type * as z from "zod";
import type { FormContext } from "#shared/platform/http/older-form.ts";
import type { tokenInfo, tokenList } from "./schemas.ts";

/** Shows a token before version 8: with its name only if the request names no version. */
export const toTokenInfoV0 = (
  { name, ...info }: z.input<typeof tokenInfo>,
  { isPrefixed }: Pick<FormContext, "isPrefixed">,
) => (isPrefixed ? info : { ...info, name });

export const toTokenListV0 = ({ tokens }: z.input<typeof tokenList>, context: FormContext) => ({
  tokens: tokens.map((token) => toTokenInfoV0(token, context)),
});
