/**
 * Characters that make spreadsheets take a field for a formula. An apostrophe in front prevents that; a leading
 * apostrophe is doubled.
 */
const formulaStart = /^[=+\-@\t\r']/;

/** A line of a CSV file (RFC 4180), with its line break; every field is quoted. */
export const csvLine = (fields: readonly string[]): string => `${fields.map(csvField).join(",")}\r\n`;

const csvField = (text: string) => `"${(formulaStart.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
