// Prints the price of a month on AWS by list prices, and the quotas to raise: npm run price -- [options]
import { parseArgs } from "node:util";
import { assumptions, type Load, usualCopies, usualLoad } from "#lib/pricing/load.ts";
import { attackHour, billOf, copiesOf, fixedParts, totalOf } from "#lib/pricing/month.ts";
import {
  type PricedRegion,
  pricedRegions,
  priceSources,
  pricesAsOf,
  pricesIn,
} from "#lib/pricing/price-list.ts";
import { quotasOf } from "#lib/pricing/quotas.ts";
import { readStage, type Stage } from "#lib/stage.ts";
import { runScript, UsageError } from "./run-script.ts";

const usage = `usage: npm run price -- [options]

  --users N        active users, with a device each (${usualLoad.users})
  --messages N     messages that each sends in a day (${usualLoad.messages})
  --group N        members of a group, with the sender (${usualLoad.group})
  --files N        files that each sends in a day, to a group (${usualLoad.files})
  --hours N        hours of a day that a device is connected (${usualLoad.hours})
  --sockets WHAT   what holds sockets, gateway or relay (${usualLoad.sockets})
  --region NAME    ${pricedRegions.join(" or ")} (eu-central-1)
  --stage NAME     whose key of tables, copies in a second region and limit of requests are priced (prod)`;

const dollars = (amount: number) =>
  amount.toLocaleString("en-US", { maximumFractionDigits: amount < 100 ? 2 : 0 });

const howToEndIt =
  "How to end it: a lower `throttle` in the stage file and `npm run deploy`; `rateRules` of the distribution refuse single networks earlier.";

await runScript(usage, () => {
  const { values } = parseArgs({
    options: {
      users: { type: "string" },
      messages: { type: "string" },
      group: { type: "string" },
      files: { type: "string" },
      hours: { type: "string" },
      sockets: { type: "string", default: usualLoad.sockets },
      region: { type: "string", default: "eu-central-1" },
      stage: { type: "string", default: "prod" },
    },
  });
  const { sockets, region } = values;
  if (sockets !== "gateway" && sockets !== "relay") throw new UsageError("--sockets is gateway or relay");
  if (!pricedRegions.includes(region as PricedRegion))
    throw new UsageError(`Prices are known for ${pricedRegions.join(" and ")}`);
  const numberOf = (
    name: "users" | "messages" | "group" | "files" | "hours",
    least: number,
    most: number,
  ) => {
    const text = values[name] ?? String(usualLoad[name]);
    const value = Number(text);
    if (!/^\d+(\.\d+)?$/.test(text) || value < least || value > most)
      throw new UsageError(`--${name} is a number from ${least} to ${most}`);
    return value;
  };
  const load: Load = {
    users: numberOf("users", 0, 1e9),
    messages: numberOf("messages", 0, 10_000),
    group: numberOf("group", 1, 2000),
    files: numberOf("files", 0, 10_000),
    hours: numberOf("hours", 0, 24),
    sockets,
  };
  print(load, region as PricedRegion, readStage(values.stage));
});

function print(load: Load, region: PricedRegion, stage: Stage): void {
  const { name, throttle, backups = usualCopies, tableKey } = stage;
  const prices = pricesIn(region);
  const fixed = { ...fixedParts, hasTableKey: tableKey === "managed" };
  const bill = billOf(load, prices, fixed);
  const total = totalOf(bill);
  const { users, messages, group, files, hours, sockets } = load;
  console.log(
    `A month in ${region}: ${users.toLocaleString("en-US")} users, each with one device that is connected ${hours} hours a day, ` +
      `${messages} messages and ${files} files of ${assumptions.file.bytes / 1000} KB a day to groups of ${group}; sockets at ` +
      `${sockets === "relay" ? "relays" : "API Gateway"}.\n`,
  );
  const ranked = Object.entries(bill)
    .filter(([, amount]) => amount >= 0.005)
    .toSorted(([, one], [, other]) => other - one);
  for (const [service, amount] of ranked)
    console.log(
      `${service.padEnd(30)} ${dollars(amount).padStart(12)} $  ${((100 * amount) / total).toFixed(0).padStart(3)} %`,
    );
  console.log(`${"together".padEnd(30)} ${dollars(total).padStart(12)} $`);
  const [first, second] = ranked;
  console.log(`\nWhat dominates: ${first?.[0]}, then ${second?.[0]}.`);
  const unused = totalOf(billOf({ ...load, users: 0 }, prices, fixed));
  console.log(`Without any user: ${dollars(unused)} $.`);
  console.log(
    `Copies in a second region, of ${backups.days} days and every ${backups.everyHours} hours, are not in these figures: ` +
      `${dollars(copiesOf(load, prices, backups))} $.`,
  );
  console.log(
    `Requests at the limit of the stage ${name} (${throttle.requestsPerSecond} a second): ` +
      `${dollars(attackHour(throttle.requestsPerSecond, prices))} $ an hour. ${howToEndIt}`,
  );
  console.log("\nQuotas, at three times the mean of the hours of connection:\n");
  for (const { quota, needed, default: most } of quotasOf(load))
    console.log(
      `${needed > most ? "raise " : "      "} ${Math.ceil(needed).toLocaleString("en-US").padStart(10)} of ${most.toLocaleString("en-US").padStart(6)}  ${quota}`,
    );
  console.log(
    `\nList prices of ${pricesAsOf}, first tier, without free tiers, taxes and SMS; compared neither with the published lists nor with a bill. ` +
      `Assumptions: lib/pricing/load.ts. Lists to compare with:\n${[...new Set(Object.values(priceSources))].join("\n")}`,
  );
}
