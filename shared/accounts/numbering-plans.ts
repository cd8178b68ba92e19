import { parsePhoneNumberFromString as parse } from "libphonenumber-js/min";

/**
 * The country of a number in E.164 form, such as `DE`, or the calling code of one that belongs to no country, such as
 * `+870`; undefined for an impossible number.
 */
export function countryOf(number: string): string | undefined {
  const parsed = parse(number);
  // The parser tolerates prefixes for calls within a country, which E.164 does not have.
  if (parsed?.isValid() !== true || parsed.number !== number) return undefined;
  return parsed.country ?? `+${parsed.countryCallingCode}`;
}
