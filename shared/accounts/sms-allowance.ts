import { ApiError } from "#shared/platform/http/api-error.ts";
import type { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { networkBucket } from "#shared/platform/rate-limit/network.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { ContactIdentity } from "./identity.ts";

/** Numbers that differ only in their last four digits form a range: operators assign them in blocks of 10,000. */
const digitsWithinRange = 4;

/**
 * Make sure that a phone number exists in the numbering plan of a country; its form alone does not tell. An address
 * always passes. Called before a code is sent, not where a number is only compared.
 *
 * @throws ApiError `invalid-phone`
 */
export async function checkNumber(identity: ContactIdentity): Promise<void> {
  if (identity.kind === "phone") await countryOfNumber(identity.value);
}

/**
 * Charge an SMS to the daily budgets of the requesting network, of the number's range and of its country. A request
 * that is refused to one network does not use up the budgets of others. An address costs nothing.
 *
 * @throws ApiError `invalid-phone`
 * @throws RateLimitedError until the end of the day
 */
export async function chargeSms(
  { budget, settings }: { budget: DailyBudget; settings: Settings },
  { kind, value }: ContactIdentity,
  { sourceIp, count = 1 }: { sourceIp: string; count?: number },
): Promise<void> {
  if (kind !== "phone") return;
  const { perNetwork, perNumberRange, perCountry, countries } = settings.setSmsDailyBudget;
  const country = await countryOfNumber(value);
  await budget.spend(networkBucket("sms", sourceIp), count, perNetwork);
  await budget.spend(`sms#${value.slice(0, -digitsWithinRange)}`, count, perNumberRange);
  const ownLimit = countries[country];
  await budget.spend(`sms#${country}`, count, ownLimit === undefined ? perCountry : ownLimit);
}

/** The numbering plans are loaded by the first request that needs them, because most do not. */
async function countryOfNumber(number: string): Promise<string> {
  const { countryOf } = await import("./numbering-plans.ts");
  const country = countryOf(number);
  if (country === undefined) throw new ApiError("invalid-phone");
  return country;
}
