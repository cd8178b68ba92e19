import { type CountryCode, getCountries, getExampleNumber } from "libphonenumber-js/min";
import examples from "libphonenumber-js/mobile/examples";
import { describe, expect, it } from "vitest";
import { phoneIdentity } from "./identity.ts";
import { checkNumber } from "./sms-allowance.ts";

const check = (number: string) => checkNumber(phoneIdentity(number));
const exampleOf = (country: CountryCode) => getExampleNumber(country, examples)?.number ?? "";
/** The interface demands eight digits, which the numbers of two island groups do not have. */
const countries = getCountries().filter((country) => exampleOf(country).length > 8);

describe("a phone number", () => {
  it.each(countries)("of %s is accepted", async (country) => {
    await check(exampleOf(country));
  });

  it.each(["+870773111632", "+883510000094", "+18005551234", "+390236618300", "+4930123456"])(
    "such as %s is accepted",
    check,
  );

  it.each([
    ["has an unassigned calling code", "+21012345678"],
    ["has another unassigned calling code", "+99912345678"],
    ["is too short for its country", "+2991234567"],
    ["is too long for its country", "+120255501234"],
    ["has an unassigned area code", "+15555550100"],
    ["has the prefix of calls within a country", "+490170123456"],
  ])("that %s is refused", async (_, number) => {
    await expect(check(number)).rejects.toMatchObject({ error: "invalid-phone" });
  });
});
