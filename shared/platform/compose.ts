/** More marks upon one letter than any language has (UAX #15 §12.1): sorting them takes the square of their number. */
const endlessMarks = /\p{M}{33}/u;

/** Any text up to this length takes a millisecond at most; names and passwords are shorter. */
const harmlessLength = 1024;

/** Composes letters with their accents (NFC), so that it does not matter how a keyboard writes them. */
export const compose = (text: string): string =>
  text.length > harmlessLength && endlessMarks.test(text) ? text : text.normalize("NFC");
