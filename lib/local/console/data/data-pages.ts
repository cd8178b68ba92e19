import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { systemClock } from "#shared/platform/clock.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { ParkedMessages } from "#shared/platform/messaging/parked-messages.ts";
import { type QueueName, queues } from "#shared/registry/queues.ts";
import type { LocalStack } from "../../stack.ts";
import { hideInJson } from "../requests/hide-secrets.ts";
import type { Cell, DataPage, DataTable } from "../wire.ts";
import { type InternalApi, linkTo, operate } from "./internal-api.ts";
import { conversationPage, teamPage, userPage } from "./thing-pages.ts";

/** The sources of the pages. */
export type DataSource = Pick<LocalStack, "prefix" | "internalUrl" | "settings" | "queueUrls" | "tableName">;

const pageSize = 50;
/** Number of parked messages that are shown for each queue. */
const shownParked = 100;
const queueNames = Object.keys(queues) as QueueName[];

type Entry = Record<string, unknown>;
/** A column: its heading, and its content for an entry. */
type Column = readonly [string, (entry: Entry) => Cell];

const field =
  (name: string) =>
  (entry: Entry): string =>
    String(entry[name] ?? "");
const minute =
  (name: string) =>
  (entry: Entry): string =>
    field(name)(entry).slice(0, 16).replace("T", " ");
const name =
  (kind: "users" | "teams") =>
  (entry: Entry): Cell =>
    linkTo(kind, field("id")(entry), field("name")(entry));

const userColumns: readonly Column[] = [
  ["Name", name("users")],
  ["E-mail", field("email")],
  ["Handle", field("handle")],
  ["Status", field("status")],
  ["Team", (entry) => (entry.team === undefined ? "" : linkTo("teams", String(entry.team)))],
  ["Created (UTC)", minute("created_at")],
  ["Id", field("id")],
];
const teamColumns: readonly Column[] = [
  ["Name", name("teams")],
  ["Status", field("status")],
  ["Members", field("size")],
  ["Founder", (entry) => (entry.creator === undefined ? "" : linkTo("users", String(entry.creator)))],
  ["Created (UTC)", minute("created_at")],
  ["Id", field("id")],
];

/**
 * Creates the pages of the console that show stored data, by name.
 * @param start cursor of the page: `next` of the previous one. The page does not exist for any other value
 */
export function dataPages(
  source: DataSource,
): Record<string, (start?: string) => Promise<DataPage | undefined>> {
  return {
    users: (start) =>
      listOf(source, "users", userColumns, start, {
        title: "Users",
        about: "The newest first. To open one directly, enter an id, an e-mail address or a handle.",
        empty: "Nobody has an account yet. Open a window of the chat, or start with --seed.",
      }),
    teams: (start) =>
      listOf(source, "teams", teamColumns, start, {
        title: "Teams",
        about: "The newest first. To open one directly, enter its id.",
        empty: "There is no team yet. Start with --seed to get one with five people.",
      }),
    queues: () => queuePage(source),
    parked: () => parkedPage(source),
    settings: async () => settingsPage(source),
  };
}

/** Creates the pages about one thing, by kind; each is undefined if the thing does not exist. */
export const thingPages = (
  source: DataSource,
): Record<string, (id: string) => Promise<DataPage | undefined>> => ({
  users: (id) => userPage(source, id),
  teams: (id) => teamPage(source, id),
  conversations: (id) => conversationPage(source, id),
});

async function listOf(
  api: InternalApi,
  kind: "users" | "teams",
  columns: readonly Column[],
  start: string | undefined,
  { title, about, empty }: { title: string; about: string; empty: string },
): Promise<DataPage | undefined> {
  const query = new URLSearchParams({ limit: String(pageSize), ...(start !== undefined && { start }) });
  const { status, body } = await operate(api, `/i/${kind}/list?${query}`);
  if (status === 400 && start !== undefined) return undefined;
  if (status !== 200) throw new Error(`The list of ${kind} was answered ${status}`);
  const rows = (body[kind] as Entry[]).map((entry) => columns.map(([, cellOf]) => cellOf(entry)));
  const table = { columns: columns.map(([heading]) => heading), rows, empty, next: body.next };
  return { title, about, tables: [table] };
}

async function queuePage({ queueUrls }: DataSource): Promise<DataPage> {
  const sqs = new SQSClient();
  try {
    const rows = await Promise.all(
      queueNames.map(async (queue) => {
        const command = new GetQueueAttributesCommand({
          QueueUrl: queueUrls[queue],
          AttributeNames: ["All"],
        });
        const { Attributes = {} } = await sqs.send(command);
        const waiting = Attributes.ApproximateNumberOfMessages ?? "";
        const underWay = Attributes.ApproximateNumberOfMessagesNotVisible ?? "";
        const delayed = Attributes.ApproximateNumberOfMessagesDelayed ?? "";
        return [queue, queues[queue].isFifo ? "in order" : "", waiting, underWay, delayed];
      }),
    );
    return {
      title: "Queues",
      about:
        "Later effects of requests, such as mails and events, wait here until a worker handles them. If nothing is " +
        "wrong, all figures are 0 a moment after the last request. Messages that fail again and again are parked.",
      tables: [{ columns: ["Queue", "Order", "Waiting", "Being handled", "Delayed"], rows }],
    };
  } finally {
    sqs.destroy();
  }
}

/** Repeating or dropping a message is left to a command, which can show its effect first. */
async function parkedPage({ settings, tableName, internalUrl }: DataSource): Promise<DataPage> {
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
  const command = (verb: string, message: string) =>
    `npm run admin -- outbox ${verb} QUEUE ${message} --url ${internalUrl}`;
  const table: DataTable = {
    columns: ["Queue", "Parked", "Reason", "Attempts", "Lane", "Message"],
    rows,
    empty: "Nothing is parked: every message could be handled.",
  };
  return {
    title: "Parked messages",
    about:
      "A message that a worker could not handle is tried again, later each time, and then set aside here, so that those behind " +
      "it go on. It stays until somebody repeats or drops it; the reason tells what to fix first.",
    tables: [table],
    ...(rows.length > 0 && {
      commands: [
        { does: "Show the content of one", command: command("show", "'MESSAGE'") },
        { does: "Handle one again", command: command("repeat", "'MESSAGE'") },
        { does: "Handle all of a queue again", command: command("repeat", "--all") },
        { does: "Give one up for good", command: command("drop", "'MESSAGE'") },
      ],
    }),
  };
}

function settingsPage({ settings }: DataSource): DataPage {
  const rows = Object.entries(hideInJson(settings) as object).map(([setting, value]) => [
    setting,
    JSON.stringify(value),
  ]);
  return {
    title: "Settings",
    about: "The settings of this run, without secrets. To change some: npm start -- --settings FILE.",
    tables: [
      {
        columns: ["Setting", "Value"],
        rows: rows.sort(([one = ""], [other = ""]) => one.localeCompare(other)),
      },
    ],
  };
}
