import { compose } from "./compose.ts";

/**
 * Maps spellings that differ only in case, or in whether an accent is a character of its own, to one text. Composing
 * comes after changing case: `J̌` has no composed form, but its lower case `ǰ` has one.
 */
export const foldCase = (text: string): string => compose(text.toLowerCase());
