/** A moment in the reader's language, in UTC because the reader's time zone is unknown. */
export const moment = (milliseconds: number, language: string): string =>
  `${new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }).format(milliseconds)} UTC`;
