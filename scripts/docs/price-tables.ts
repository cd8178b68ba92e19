import { type Load, usualCopies, usualLoad } from "#lib/pricing/load.ts";
import {
  attackHour,
  billOf,
  copiesOf,
  type Fixed,
  fixedParts,
  type Service,
  services,
  totalOf,
} from "#lib/pricing/month.ts";
import { priceSources, pricesAsOf, pricesIn } from "#lib/pricing/price-list.ts";
import { quotasOf } from "#lib/pricing/quotas.ts";
import { readStage } from "#lib/stage.ts";
import { outboxQueues } from "#shared/registry/queues.ts";

const prices = pricesIn("eu-central-1");
const userCounts = [0, 1000, 50_000, 5_000_000] as const;
const holders = ["gateway", "relay"] as const;
const placeOf = { gateway: "API Gateway", relay: "relays" } as const;

/** Names of the lists that have the prices of a part of the bill. */
const listsOf: Readonly<Record<Service, readonly (keyof typeof priceSources)[]>> = {
  CloudFront: ["distribution"],
  "AWS WAF": ["firewall"],
  "API Gateway": ["httpApi"],
  Lambda: ["lambda"],
  "DynamoDB requests": ["dynamodb"],
  "DynamoDB storage": ["dynamodb"],
  SQS: ["sqs"],
  S3: ["file"],
  "data transfer": ["outgoing"],
  "Fargate and load balancer": ["fargate", "networkBalancer", "publicAddress"],
  "CloudWatch logs": ["log"],
  "CloudWatch alarms and metrics": ["alarm"],
  SES: ["ses"],
  "Secrets Manager": ["secret"],
  KMS: ["key"],
};

/** What there would be without the defaults that keep a month cheap. */
const dearParts: Fixed = {
  ...fixedParts,
  hasTableKey: true,
  alarmMetrics: fixedParts.alarmMetrics + 2 * (outboxQueues.length - 1),
  ownMetrics: fixedParts.ownMetrics + 2 * outboxQueues.length,
};

const inWords = (amount: number) => Math.round(amount).toLocaleString("en-US");
const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(head), row(head.map((_, column) => (column === 0 ? "---" : "---:"))), ...rows.map(row)].join("\n");

/** What a month costs and takes, by numbers of users. */
export function priceTables(): string {
  const { messages, group, files, hours } = usualLoad;
  const { requestsPerSecond } = readStage("prod").throttle;
  return [
    `By list prices of eu-central-1 as noted in ${pricesAsOf}, which have yet to be compared with the published lists, in dollars a month: each user has one device that is connected ${hours} hours a ` +
      `day, and sends ${messages} messages and ${files} files a day to groups of ${group}.`,
    byUsers(),
    "The last column would be added by tables with a key of KMS (`tableKey` `managed`), and by alarms and metrics of each queue's " +
      "messages in the outbox, in order or not.",
    byService(),
    `Copies in a second region (\`backups\` of ${usualCopies.days} days, every ${usualCopies.everyHours} hours, and \`replicaRegion\`) ` +
      `are not in these figures, because no stage here has them; they cost ${copiesByUsers()}.`,
    `An hour of requests at the limit of \`prod.json\`, ${inWords(requestsPerSecond)} a second, costs ` +
      `$${inWords(attackHour(requestsPerSecond, prices))}. A lower \`throttle\` and a deployment end it; \`rateRules\` refuse single ` +
      "networks before.",
    "Quotas that this takes at three times the mean of the hours of connection, against their defaults:",
    byQuota(),
  ].join("\n\n");
}

/** What a month costs with the cheaper of both ways to hold sockets, for those who do not run it yet. */
export function priceSummary(): string {
  const { messages, files, hours } = usualLoad;
  const rows = userCounts.map((users) => {
    const totals = holders.map((sockets) => totalOf(billOf({ ...usualLoad, users, sockets }, prices)));
    return [inWords(users), `$${inWords(Math.min(...totals))}`];
  });
  return table(
    [`users, each connected ${hours} hours and sending ${messages} messages and ${files} files a day`, "a month"],
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
    ["users", ...holders.map((holder) => `sockets at ${placeOf[holder]}`), "saved"],
    userCounts.map((users) => {
      const totals = (parts: Fixed) =>
        holders.map((sockets) => totalOf(billOf({ ...usualLoad, users, sockets }, prices, parts)));
      const [now, dear] = [totals(fixedParts), totals(dearParts)];
      return [inWords(users), ...now.map(inWords), inWords((dear[0] ?? 0) - (now[0] ?? 0))];
    }),
  );
}

function byService(): string {
  const bills = holders.map((sockets) => billOf({ ...usualLoad, sockets }, prices));
  const rows = services
    .toSorted((one, other) => (bills[1]?.[other] ?? 0) - (bills[1]?.[one] ?? 0))
    .map((service) => [
      service,
      ...bills.map((bill) => inWords(bill[service])),
      listsOf[service]
        .map((list) => `[${new URL(priceSources[list]).pathname.split("/")[1]}](${priceSources[list]})`)
        .join(", "),
    ]);
  return table(
    [
      `${inWords(usualLoad.users)} users`,
      ...holders.map((holder) => `sockets at ${placeOf[holder]}`),
      "list of prices",
    ],
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
