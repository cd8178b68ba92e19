import { assumptions, type Load, usualCopies, usualLoad } from "#lib/pricing/load.ts";
import { attackHour, billOf, copiesOf, services, totalOf } from "#lib/pricing/month.ts";
import { pricesAsOf, pricesIn } from "#lib/pricing/price-list.ts";
import { quotasOf } from "#lib/pricing/quotas.ts";
import { readStage } from "#lib/stage.ts";

const prices = pricesIn("eu-central-1");
const userCounts = [0, 1000, 50_000, 5_000_000] as const;
const holders = ["gateway", "relay"] as const;
const placeOf = { gateway: "API Gateway", relay: "relays" } as const;

const inWords = (amount: number) => Math.round(amount).toLocaleString("en-US");
const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(head), row(head.map((_, column) => (column === 0 ? "---" : "---:"))), ...rows.map(row)].join("\n");

/** The costs and the quotas of a month, by numbers of users. */
export function priceTables(): string {
  const { messages, group, files, hours } = usualLoad;
  const { requestsPerSecond } = readStage("prod").throttle;
  return [
    `Estimates in dollars a month, by list prices of eu-central-1 as noted in ${pricesAsOf}, not compared with a bill. Each user has ` +
      `one device that is connected ${hours} hours a day, and sends ${messages} messages and ${files} files a day to groups of ${group}.`,
    byUsers(),
    byService(),
    `Copies in a second region (\`backups\` of ${usualCopies.days} days, every ${usualCopies.everyHours} hours, and \`replicaRegion\`) ` +
      `add ${copiesByUsers()}.`,
    `An hour of requests at the \`throttle\` of \`prod.json\`, ${inWords(requestsPerSecond)} a second, costs ` +
      `$${inWords(attackHour(requestsPerSecond, prices))}.`,
    `Quotas that this load takes at its peak, ${assumptions.peak} times its mean:`,
    byQuota(),
  ].join("\n\n");
}

/** The costs of a month with the cheaper way to hold sockets, for readers who do not run Parley yet. */
export function priceSummary(): string {
  const { messages, files, hours } = usualLoad;
  const rows = userCounts.map((users) => {
    const totals = holders.map((sockets) => totalOf(billOf({ ...usualLoad, users, sockets }, prices)));
    return [inWords(users), `$${inWords(Math.min(...totals))}`];
  });
  return table(
    [
      `users, each connected ${hours} hours and sending ${messages} messages and ${files} files a day`,
      "a month",
    ],
    rows,
  );
}

const copiesByUsers = () =>
  userCounts
    .map((users) => {
      const dollars = copiesOf({ ...usualLoad, users }, prices, usualCopies);
      return `$${inWords(dollars)} for ${inWords(users)} users`;
    })
    .join(", ");

function byUsers(): string {
  return table(
    ["users", ...holders.map((holder) => `sockets at ${placeOf[holder]}`)],
    userCounts.map((users) => [
      inWords(users),
      ...holders.map((sockets) => inWords(totalOf(billOf({ ...usualLoad, users, sockets }, prices)))),
    ]),
  );
}

function byService(): string {
  const bills = holders.map((sockets) => billOf({ ...usualLoad, sockets }, prices));
  const rows = services
    .toSorted((one, other) => (bills[1]?.[other] ?? 0) - (bills[1]?.[one] ?? 0))
    .filter((service) => bills.some((bill) => Math.round(bill[service]) > 0))
    .map((service) => [service, ...bills.map((bill) => inWords(bill[service]))]);
  return table(
    [`${inWords(usualLoad.users)} users`, ...holders.map((holder) => `sockets at ${placeOf[holder]}`)],
    rows,
  );
}

function byQuota(): string {
  const loads = userCounts.slice(1).map((users): Load => ({ ...usualLoad, users }));
  const rows = holders.flatMap((sockets) => {
    const uses = loads.map((load) => quotasOf({ ...load, sockets }));
    return (uses[0] ?? []).map(({ quota, default: most }, index) => [
      quota,
      placeOf[sockets],
      inWords(most),
      ...uses.map((one) => Math.ceil(one[index]?.needed ?? 0).toLocaleString("en-US")),
    ]);
  });
  return table(
    ["quota", "sockets at", "default", ...loads.map(({ users }) => `${inWords(users)} users`)],
    rows,
  );
}
