import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { systemClock } from "#shared/platform/clock.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { ParkedMessages } from "#shared/platform/messaging/parked-messages.ts";
import { type QueueName, queues } from "#shared/registry/queues.ts";
import type { LocalStack } from "../../stack.ts";
import { hideInJson } from "../requests/hide-secrets.ts";
import type { DataTable } from "../wire.ts";

/** What the pages read. */
export type DataSource = Pick<LocalStack, "prefix" | "internalUrl" | "settings" | "queueUrls" | "tableName">;

const pageSize = 50;
/** Parked messages of each queue that are shown. */
const shownParked = 100;
const timeoutMilliseconds = 10_000;
const queueNames = Object.keys(queues) as QueueName[];

const userColumns = ["name", "id", "status", "email", "handle", "team", "created_at"];
const teamColumns = ["name", "id", "status", "creator", "size", "created_at"];

/**
 * Creates the tables of the console, by name.
 * @param start where a page starts: `next` of the one before. No page starts anywhere else: then there is none
 */
export function dataPages(
  source: DataSource,
): Record<string, (start?: string) => Promise<DataTable | undefined>> {
  return {
    users: (start) => listOf(source, "users", userColumns, start),
    teams: (start) => listOf(source, "teams", teamColumns, start),
    queues: () => queueTable(source),
    parked: () => parkedTable(source),
    settings: async () => settingsTable(source),
  };
}

async function listOf(
  { internalUrl }: DataSource,
  kind: "users" | "teams",
  columns: readonly string[],
  start: string | undefined,
): Promise<DataTable | undefined> {
  const query = new URLSearchParams({ limit: String(pageSize), ...(start !== undefined && { start }) });
  const response = await fetch(`${internalUrl}/i/${kind}/list?${query}`, {
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  if (response.status === 400 && start !== undefined) return undefined;
  const body = (await response.json()) as { next?: string } & Record<string, Record<string, unknown>[]>;
  if (!response.ok) throw new Error(`The list of ${kind} was answered ${response.status}`);
  const rows = (body[kind] ?? []).map((entry) => columns.map((column) => String(entry[column] ?? "")));
  return { columns, rows, next: body.next };
}

async function queueTable({ queueUrls }: DataSource): Promise<DataTable> {
  const sqs = new SQSClient();
  try {
    const rows = await Promise.all(
      queueNames.map(async (name) => {
        const command = new GetQueueAttributesCommand({ QueueUrl: queueUrls[name], AttributeNames: ["All"] });
        const { Attributes = {} } = await sqs.send(command);
        const waiting = Attributes.ApproximateNumberOfMessages ?? "";
        const underWay = Attributes.ApproximateNumberOfMessagesNotVisible ?? "";
        const delayed = Attributes.ApproximateNumberOfMessagesDelayed ?? "";
        return [name, queues[name].isFifo ? "in order" : "", waiting, underWay, delayed];
      }),
    );
    return { columns: ["queue", "order", "waiting", "under way", "delayed"], rows };
  } finally {
    sqs.destroy();
  }
}

/** Repeating or dropping a message is the business of a command, which says what it will do first. */
async function parkedTable({ settings, tableName, internalUrl }: DataSource): Promise<DataTable> {
  const parked = new ParkedMessages(storeContext({ config: { tableName, settings }, clock: systemClock }));
  const rows: string[][] = [];
  for (const queue of queueNames) {
    let count = 0;
    for await (const { messageId, lane, parkedAt, reason, deliveries } of parked.of(queue)) {
      rows.push([queue, parkedAt, reason, String(deliveries), lane, messageId]);
      count += 1;
      if (count === shownParked) break;
    }
  }
  const command = (name: string, message: string) =>
    `npm run admin -- outbox ${name} QUEUE ${message} --url ${internalUrl}`;
  return {
    columns: ["queue", "parked", "reason", "deliveries", "lane", "message"],
    rows,
    commands: [
      { does: "Show what is in one", command: command("show", "'MESSAGE'") },
      { does: "Handle one again", command: command("repeat", "'MESSAGE'") },
      { does: "Handle all of a queue again", command: command("repeat", "--all") },
      { does: "Give one up for good", command: command("drop", "'MESSAGE'") },
    ],
  };
}

function settingsTable({ settings }: DataSource): DataTable {
  const rows = Object.entries(hideInJson(settings) as object).map(([name, value]) => [
    name,
    JSON.stringify(value),
  ]);
  return {
    columns: ["setting", "value"],
    rows: rows.sort(([one = ""], [other = ""]) => one.localeCompare(other)),
  };
}
