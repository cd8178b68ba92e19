import { assumptions } from "#lib/pricing/load.ts";

/** Messages of the largest batch that SQS hands to a function. */
const batch = 10;
/** Time of a run of `fan-out` and of `delivery` with a full batch (`npm run bench -- --only messages`). */
const runMilliseconds = { fanOut: 30, delivery: 40 };

const inWords = (count: number) => Math.round(count).toLocaleString("en-US");

/** The load on each part on the way of a message, compared with the limits that AWS documents. */
export function onPaperTable(messages = 10_000, recipients = 5): string {
  const deliveries = messages * recipients;
  const concurrent = (runs: number, milliseconds: number) => (runs * milliseconds) / 1000;
  const fanOut = concurrent(messages / batch, runMilliseconds.fanOut);
  const delivery = concurrent(deliveries / batch, runMilliseconds.delivery);
  const requests = concurrent(messages, assumptions.other.milliseconds);
  const perShard = batch / (runMilliseconds.delivery / 1000);
  const rows = [
    [
      "API Gateway",
      `${inWords(messages)} requests/s, and ${inWords(deliveries)} posts/s where it holds the sockets`,
      "account: 10,000/s in all",
    ],
    [
      "`events`",
      `${inWords(messages)} sends/s`,
      "high-throughput FIFO: 70,000 calls/s, less in some regions",
    ],
    [
      "`fan-out`",
      `runs of ${batch} of ${runMilliseconds.fanOut} ms: ${inWords(fanOut)} concurrent`,
      `\`queueConcurrency\` ${inWords(2 * fanOut)}`,
    ],
    [
      "`deliveries`",
      `up to ${inWords(deliveries)} messages/s in ${inWords(deliveries / batch)} batches`,
      "70,000 calls/s; 3,000 messages/s for each partition of the queue",
    ],
    [
      "shards",
      `${inWords(perShard)} messages/s each (${batch} in ${runMilliseconds.delivery} ms)`,
      `\`deliveryShards\` ${2 ** Math.ceil(Math.log2((2 * deliveries) / perShard))}`,
    ],
    [
      "`delivery`",
      `${inWords(deliveries / batch)} runs/s of ${runMilliseconds.delivery} ms: ${inWords(delivery)} concurrent`,
      `\`queueConcurrency\` ${inWords(2 * delivery)}`,
    ],
    [
      "functions",
      `${inWords(fanOut + delivery + requests)} concurrent, of which ${inWords(requests)} for requests`,
      "account: 1,000 concurrent",
    ],
    [
      "notifications",
      `${inWords(deliveries * assumptions.message.writeUnitsPerMember)} write units/s, and as many read units/s, as ${inWords(delivery)} instances soon remember little that is up to date; random keys`,
      "table: raise both from 40,000, and warm it",
    ],
    [
      "sockets",
      `${inWords(2 * deliveries)} read units/s, ${inWords(3 * deliveries)} if all have push tokens`,
      "table: raise from 40,000",
    ],
  ];
  return [
    `### On paper: ${inWords(messages)} messages a second to ${inWords(recipients)} recipients each`,
    [
      "| part | load | limit |",
      "| --- | --- | --- |",
      ...rows.map((cells) => `| ${cells.join(" | ")} |`),
    ].join("\n"),
  ].join("\n\n");
}
