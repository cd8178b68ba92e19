/** More marks upon one letter than any language has (UAX #15 §12.1): to put them in order takes the square of their number. */
const endlessMarks = /\p{M}{33}/u;

/** Texts of this length take a millisecond at most, whatever they contain: names and passwords have no more. */
const harmlessLength = 1024;

/** Composes letters with their accents (NFC), so that it does not matter how a keyboard writes them. */
export const compose = (text: string): string =>
  text.length > harmlessLength && endlessMarks.test(text) ? text : text.normalize("NFC");
