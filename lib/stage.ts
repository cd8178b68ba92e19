import { readdirSync, readFileSync } from "node:fs";
import { join, parse } from "node:path";
import * as z from "zod";
import { families, workers } from "#functions/families.ts";
import { emailAddress, hostName } from "#shared/platform/address-types.ts";
import { type QueueName, type QueueSpec, queues } from "#shared/registry/queues.ts";
import { functionAssetBytes } from "#shared/registry/settings/assets.ts";
import { parseSettings, type Settings } from "#shared/registry/settings.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";
import { defaultDrainSeconds, maxSockets, writeUnitsPerSocket } from "./relay/limits.ts";

/** SQS allows no fewer than 2. */
const batches = z.int().min(2).max(1000);
const queueNames = Object.keys(queues) as QueueName[];
const functionNames = [...families, ...workers].map(({ name }) => name);

/** Sizes of Fargate tasks: the memory in MB, by CPU units of 1/1024 core. */
const taskMemory: Readonly<Record<number, { least: number; most: number }>> = {
  512: { least: 1024, most: 4096 },
  1024: { least: 2048, most: 8192 },
  2048: { least: 4096, most: 16_384 },
};

const tableNames = Object.keys(tables) as TableName[];

/** Relays: processes that hold sockets instead of API Gateway, as tasks behind their own load balancer. */
const relayFields = z.strictObject({
  /** Host name of the load balancer, with a certificate of the same region. */
  domainName: hostName,
  certificateArn: z.string().regex(/^arn:[\w-]+:acm:/, "a certificate of ACM"),
  minTasks: z.int().min(1).max(500).default(2),
  /** Most tasks. With cross-zone balancing, a load balancer has up to 500 targets, and a deployment needs some of them. */
  maxTasks: z.int().min(1).max(500).default(10),
  /** 1024 is one core. A relay is one process with one thread: more than one core only helps what surrounds it. */
  cpu: z.literal([512, 1024, 2048]).default(1024),
  /** Memory of a task. The most sockets that a relay takes need about 2 GB. */
  memoryMegabytes: z.int().multipleOf(1024).default(4096),
  /** Average to which tasks are scaled. */
  socketsPerTask: z
    .int()
    .min(100)
    .max((maxSockets * 3) / 4)
    .default(maxSockets / 2),
  /** Share of the tasks that a deployment replaces together. */
  deploymentPercent: z.int().min(1).max(100).default(100),
});

/** WebSockets. */
const socketFields = z
  .strictObject({
    /** Whether API Gateway or relays hold clients' sockets. */
    mode: z.enum(["gateway", "relay"]).default("gateway"),
    /**
     * Limit of pings at API Gateway. Beyond it, pings get no answer. Each open socket sends one every 20 seconds. Twice
     * that rate leaves room for a flood until its socket is closed.
     */
    pings: z
      .strictObject({ requestsPerSecond: z.int().min(1), burst: z.int().min(1) })
      .default({ requestsPerSecond: 500, burst: 1000 }),
    /** In the mode `gateway`, relays are deployed but not used. */
    relay: relayFields.optional(),
  })
  .superRefine(({ mode, relay }, { addIssue }) => {
    const refuse = (path: string[], message: string) => addIssue({ code: "custom", path, message });
    if (relay === undefined) {
      if (mode === "relay") refuse(["relay"], "needed for the mode relay");
      return;
    }
    const { minTasks, maxTasks, cpu, memoryMegabytes, deploymentPercent } = relay;
    if (maxTasks < minTasks) refuse(["relay", "maxTasks"], `at least minTasks, ${minTasks}`);
    const { least, most } = taskMemory[cpu] ?? { least: 0, most: 0 };
    if (memoryMegabytes < least || memoryMegabytes > most) {
      refuse(["relay", "memoryMegabytes"], `from ${least} to ${most} for a cpu of ${cpu}`);
    }
    if (Math.floor((minTasks * deploymentPercent) / 100) < 1) {
      refuse(["relay", "deploymentPercent"], `at least one of minTasks, ${minTasks}`);
    }
  });

/** AWS keeps adding regions, so only the form is checked. */
const regionName = z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "a region of AWS, such as eu-central-1");

/** Copies in a second region, for the loss of the first. */
const backupFields = z.strictObject({
  region: regionName,
  /** How long copies of tables are kept. */
  days: z.int().min(1).max(36_500),
  /** Each backup is a full copy of each table. */
  everyHours: z.literal([1, 2, 3, 4, 6, 8, 12, 24]).default(24),
});

export type Backups = z.output<typeof backupFields>;

const tableUnits = z.strictObject({ readUnits: z.int().min(1), writeUnits: z.int().min(1) });

/** The limits that AWS WAF takes. */
const rateLimit = z.int().min(10).max(2_000_000_000);

export const stageFields = z.strictObject({
  /** Account to deploy to, by default that of the credentials. */
  account: z
    .string()
    .regex(/^\d{12}$/, "the 12 digits of an account")
    .optional(),
  region: regionName.optional(),
  /** Second region that gets copies of the secrets. Without these, stored data and issued tokens would be worthless. */
  replicaRegion: regionName.optional(),
  /** Copies of tables and files in a second region, which can be `replicaRegion`. */
  backups: backupFields.optional(),
  /** Data outlives its stack; stacks and tables cannot be deleted by mistake. */
  isProtected: z.boolean(),
  /** Tables in use instead of the stack's; `npm run restore` enters them. */
  restoredTables: z
    .partialRecord(z.enum(tableNames), z.string().regex(/^[\w.-]{3,255}$/, "the name of a table"))
    .default({}),
  /** One of the times that CloudWatch Logs offers. */
  logRetentionDays: z.literal([
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653,
  ]),
  logLevel: z.enum(["DEBUG", "INFO", "WARN", "ERROR"]).default("INFO"),
  /** Memory of each function; CPU is proportional. */
  memoryMegabytes: z.int().min(128).max(10_240),
  /** Batches that a queue's worker handles concurrently. */
  workerConcurrency: batches,
  /** The same, for single queues. */
  queueConcurrency: z.partialRecord(z.enum(queueNames), batches).default({}),
  /**
   * Instances reserved for a function, which never uses more. A flood of its requests takes no instances from other
   * functions. AWS leaves at least 100 of the account's limit to functions without a reservation.
   */
  reservedConcurrency: z.partialRecord(z.enum(functionNames), z.int().min(1)).default({}),
  /** The account's quota of concurrent instances, for alarms and checks. */
  accountConcurrency: z.int().min(10).optional(),
  /**
   * Budget of the account: `alarmEmail` gets mails from 80 % on. Another mail follows when the forecast exceeds it.
   * Nothing is switched off.
   */
  monthlyBudgetDollars: z.int().min(1).optional(),
  /**
   * Most units per second of each table, or of single ones in `tables`. Beyond them, DynamoDB throttles, which limits
   * the cost of a flood.
   */
  tableMaxima: tableUnits
    .extend({ tables: z.partialRecord(z.enum(tableNames), tableUnits.partial()).default({}) })
    .optional(),
  /** DynamoDB's own key, or the account's `aws/dynamodb`, whose uses CloudTrail records. */
  tableKey: z.enum(["owned", "managed"]).default("owned"),
  /** The account's spending limit of SNS, for an alarm. */
  smsMonthlyDollars: z.int().min(1).optional(),
  /** Limit of each API; beyond it, API Gateway answers 429. */
  throttle: z.strictObject({ requestsPerSecond: z.int().min(1), burst: z.int().min(1) }),
  sockets: socketFields.prefault({}),
  /** Tests the public API every five minutes; needs an account (`npm run canary -- create`). */
  canary: z.boolean().default(false),
  /** X-Ray traces of the functions. */
  tracing: z.boolean().default(false),
  /** Address that gets alarms. Without it, they only show on the dashboard. */
  alarmEmail: emailAddress.optional(),
  /**
   * The identity that SES verifies: the domain of `emailSender`, or the address. A domain needs DNS records (outputs of
   * the messaging stack); an address gets a mail with a link.
   */
  emailIdentity: z.enum(["domain", "address"]).default("domain"),
  /** Host name of the public API, with a certificate of the same region. */
  customDomain: z.strictObject({ name: hostName, certificateArn: z.string().startsWith("arn:") }).optional(),
  /**
   * CloudFront for API and sockets, with a certificate of us-east-1. Both then share a host name and have the paths that
   * clients know. Replaces `customDomain`.
   */
  distribution: z
    .strictObject({
      domainName: hostName,
      certificateArn: z.string().regex(/^arn:[\w-]+:acm:us-east-1:/, "a certificate of ACM in us-east-1"),
      /** Your own web ACL. */
      webAclArn: z
        .string()
        .regex(/^arn:[\w-]+:wafv2:us-east-1:\d{12}:global\/webacl\//, "a web ACL for CloudFront")
        .optional(),
      /**
       * Most requests of one address in five minutes: of all kinds, and those that check passwords or send codes.
       * Beyond, AWS WAF answers 429. Not with `webAclArn`: the web ACL is the stage's own, in us-east-1.
       */
      rateRules: z
        .strictObject({ requests: rateLimit, credentialRequests: rateLimit })
        .refine(({ requests, credentialRequests }) => credentialRequests <= requests, {
          path: ["credentialRequests"],
          error: "at most the value of requests",
        })
        .optional(),
      /** Increase it to replace the distribution's secret. */
      secretGeneration: z.int().min(1).default(1),
    })
    .refine(({ webAclArn, rateRules }) => webAclArn === undefined || rateRules === undefined, {
      path: ["rateRules"],
      error: "add the rules to the web ACL of webAclArn, or leave that out",
    })
    .optional(),
  /**
   * Whether functions or relays read uploads. Functions accept files of up to 4.6 MB; for larger ones, the distribution
   * sends uploads to relays. By default relays, if they hold the sockets behind a distribution.
   */
  uploads: z.strictObject({ mode: z.enum(["function", "relay"]) }).optional(),
  settings: z.unknown().default({}),
});

const stageSchema = stageFields
  .refine(({ customDomain, distribution }) => customDomain === undefined || distribution === undefined, {
    path: ["distribution"],
    error: "replaces customDomain: set only one of them",
  })
  .refine(({ region, replicaRegion }) => replicaRegion === undefined || replicaRegion !== region, {
    path: ["replicaRegion"],
    error: "another region than that of the stage",
  })
  .refine(({ region, backups }) => backups === undefined || backups.region !== region, {
    path: ["backups", "region"],
    error: "another region than that of the stage",
  })
  .refine(
    ({ isProtected, sockets: { relay } }) => !isProtected || relay === undefined || relay.minTasks > 1,
    {
      path: ["sockets", "relay", "minTasks"],
      error: "at least 2 for a protected stage: one in each of two zones",
    },
  )
  .refine(
    ({ uploads, distribution, sockets: { relay } }) =>
      uploads?.mode !== "relay" || (distribution !== undefined && relay !== undefined),
    {
      path: ["uploads", "mode"],
      error: "relay needs sockets.relay, and a distribution that sends uploads there",
    },
  )
  .refine(({ monthlyBudgetDollars, alarmEmail }) => monthlyBudgetDollars === undefined || alarmEmail, {
    path: ["monthlyBudgetDollars"],
    error: "needs alarmEmail, which gets the mails",
  })
  .superRefine((stage, { addIssue }) => {
    const { accountConcurrency } = stage;
    if (accountConcurrency === undefined) return;
    const { reserved, workers: ofWorkers, requests, total } = concurrencyOf(stage);
    if (total <= accountConcurrency) return;
    addIssue({
      code: "custom",
      path: ["accountConcurrency"],
      message:
        `at least ${total}: ${reserved} instances are reserved for functions, workers of queues may take ${ofWorkers}, ` +
        `and ${requests} must be left for everything else. Lower reservedConcurrency or queueConcurrency, or ask AWS for more`,
    });
  })
  .superRefine((stage, { addIssue }) => {
    const { relay } = stage.sockets;
    const { writeUnits } = tableMaximaOf(stage, "sockets");
    if (relay === undefined || writeUnits === undefined) return;
    const { minTasks, maxTasks, socketsPerTask, deploymentPercent } = relay;
    const sockets = maxTasks * socketsPerTask;
    const ended = (sockets * deploymentPercent) / 100;
    const needed = Math.ceil((ended / defaultDrainSeconds) * writeUnitsPerSocket);
    if (needed <= writeUnits) return;
    const percent = Math.floor((100 * writeUnits * defaultDrainSeconds) / (sockets * writeUnitsPerSocket));
    // Of fewer relays, this share is less than one.
    const leastTasks = Math.ceil(100 / percent);
    const more = leastTasks > minTasks ? ` and raise minTasks to ${leastTasks}` : "";
    const lower = leastTasks > maxTasks ? "Raise" : `Lower deploymentPercent to ${percent}${more}, or raise`;
    addIssue({
      code: "custom",
      path: ["sockets", "relay"],
      message:
        `${sockets} sockets on ${maxTasks} relays, of which a deployment ends ${deploymentPercent} % within ` +
        `${defaultDrainSeconds} seconds, take ${writeUnitsPerSocket} write units each to close and open again: ${needed} a ` +
        `second, and the table sockets takes ${writeUnits}. ${lower} tableMaxima.tables.sockets.writeUnits to ${needed}`,
    });
  })
  .superRefine((stage, { addIssue }) => {
    for (const { name, trigger } of workers) {
      const reserved = stage.reservedConcurrency[name];
      if (reserved === undefined || !("queue" in trigger)) continue;
      const least = batchesOf(stage, trigger.queue);
      if (reserved >= least) continue;
      addIssue({
        code: "custom",
        path: ["reservedConcurrency", name],
        message: `at least ${least}: SQS hands the function of the queue ${trigger.queue} that many batches`,
      });
    }
  });

/** Most units per second of a table, if the stage limits them. */
export function tableMaximaOf(
  { tableMaxima }: Pick<Stage, "tableMaxima">,
  table: TableName,
): { readonly readUnits?: number; readonly writeUnits?: number } {
  if (tableMaxima === undefined) return {};
  const { readUnits, writeUnits, tables } = tableMaxima;
  return { readUnits, writeUnits, ...tables[table] };
}

/** Batches of a queue that its worker handles concurrently. */
export function batchesOf(
  { queueConcurrency, workerConcurrency }: Pick<Stage, "queueConcurrency" | "workerConcurrency">,
  queue: QueueName,
): number {
  const { concurrency = workerConcurrency }: QueueSpec = queues[queue];
  return queueConcurrency[queue] ?? concurrency;
}

/**
 * Instances that AWS keeps free for functions without a reservation. Requests need at least as many while all queues
 * are busy.
 */
const unreservedConcurrency = 100;

/** Instances that a stage may need at the same time. */
export interface ConcurrencyNeeds {
  /** Reserved for single functions. */
  readonly reserved: number;
  /** For the batches of all queues whose workers have no reservation. */
  readonly workers: number;
  /** Left for requests to the other functions. */
  readonly requests: number;
  readonly total: number;
}

/** The instances that the account's limit must allow, so that no queue and no reservation starves requests. */
export function concurrencyOf(
  stage: Pick<Stage, "queueConcurrency" | "workerConcurrency" | "reservedConcurrency">,
): ConcurrencyNeeds {
  const sum = (counts: readonly (number | undefined)[]) =>
    counts.reduce<number>((total, count = 0) => total + count, 0);
  const reserved = sum(Object.values(stage.reservedConcurrency));
  const ofWorkers = sum(
    workers.flatMap(({ name, trigger }) =>
      "queue" in trigger && stage.reservedConcurrency[name] === undefined
        ? [batchesOf(stage, trigger.queue)]
        : [],
    ),
  );
  return {
    reserved,
    workers: ofWorkers,
    requests: unreservedConcurrency,
    total: reserved + ofWorkers + unreservedConcurrency,
  };
}

/** Requests per second that API Gateway may let through; all kinds share one quota of the account. */
export interface RequestNeeds {
  readonly apis: number;
  readonly pings: number;
  /** Frames that functions post to sockets (`@connections`). */
  readonly posts: number;
  readonly total: number;
}

/** The most that the limits of the stage allow, assuming one post per API request: a message with one recipient. */
export function requestNeedsOf(stage: Pick<Stage, "throttle" | "sockets">): RequestNeeds {
  const { requestsPerSecond } = stage.throttle;
  const hasSockets = hasSocketApi(stage);
  const apis = requestsPerSecond * (hasSockets ? 3 : 2);
  const pings = hasSockets ? stage.sockets.pings.requestsPerSecond : 0;
  const posts = hasSockets ? requestsPerSecond : 0;
  return { apis, pings, posts, total: apis + pings + posts };
}

/** The keys of a stage that decide what holds the sockets of clients. */
export interface SocketMode {
  readonly sockets: { readonly mode: "gateway" | "relay" };
}

/** Whether API Gateway holds them. */
export const hasSocketApi = ({ sockets }: SocketMode): boolean => sockets.mode === "gateway";

/** Whether relays read uploads. */
export const hasRelayedUploads = ({
  uploads,
  sockets,
  distribution,
}: Pick<z.output<typeof stageFields>, "uploads" | "sockets" | "distribution">): boolean =>
  uploads === undefined ? sockets.mode === "relay" && distribution !== undefined : uploads.mode === "relay";

/** Whether relays can read uploads, because the distribution may send uploads to them at any time. */
export const hasUploadRelays = ({
  sockets,
  distribution,
}: Pick<z.output<typeof stageFields>, "sockets" | "distribution">): boolean =>
  sockets.relay !== undefined && distribution !== undefined;

/** Everything that differs between stages. */
export interface Stage extends Omit<z.infer<typeof stageSchema>, "settings"> {
  readonly name: string;
  readonly settings: Settings;
}

/** The relays of a stage. */
export type RelayStage = NonNullable<Stage["sockets"]["relay"]>;

/** The stage does not exist, or its file is invalid; the message names file and keys. */
export class InvalidStageError extends Error {
  override readonly name = "InvalidStageError";
}

const stageName = z.string().regex(/^[a-z][a-z0-9-]{0,19}$/, "lower-case letters, digits and dashes");

const stageFolder = join(import.meta.dirname, "..", "stages");

/** Names of all stages that have a file. */
export const stageNames = (): string[] =>
  readdirSync(stageFolder)
    .map((file) => parse(file))
    .filter(({ ext }) => ext === ".json")
    .map(({ name }) => name);

/**
 * Read `stages/<name>.json`. Its `settings` override individual defaults of the functions' settings.
 *
 * @throws InvalidStageError
 */
export function readStage(name: string): Stage {
  if (!stageName.safeParse(name).success) throw new InvalidStageError(`Not the name of a stage: ${name}`);
  const file = `stages/${name}.json`;
  let text: string;
  try {
    text = readFileSync(join(stageFolder, `${name}.json`), "utf8");
  } catch (cause) {
    throw new InvalidStageError(`There is no stage ${name}: ${file} cannot be read`, { cause });
  }
  try {
    return parseStage(name, JSON.parse(text));
  } catch (cause) {
    throw new InvalidStageError(`${file}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

/** @throws InvalidStageError naming each wrong key of the stage, InvalidSettingsError each of its settings */
export function parseStage(name: string, input: unknown): Stage {
  const result = stageSchema.safeParse(input);
  if (!result.success) throw new InvalidStageError(z.prettifyError(result.error));
  const given = parseSettings(result.data.settings);
  const settings = hasRelayedUploads(result.data) ? given : withinFunctions(given, result.data.settings);
  const stage = { ...result.data, name, settings };
  refuseLongBacklogs(stage);
  return stage;
}

/**
 * Settings for uploads that reach functions: defaults are lowered to the limits of functions.
 * @throws InvalidStageError when the stage asks for more
 */
function withinFunctions(settings: Settings, given: unknown): Settings {
  const limits = assetLimits.map((name) => {
    if (Object.hasOwn(Object(given), name) && settings[name] > functionAssetBytes) {
      throw new InvalidStageError(
        `settings.${name}: at most ${functionAssetBytes}, the largest file that reaches a function, without uploads.mode relay`,
      );
    }
    return [name, Math.min(settings[name], functionAssetBytes)];
  });
  return { ...settings, ...Object.fromEntries(limits) };
}

const assetLimits = ["maxTotalBytes", "maxTotalBytesStrict"] as const;

/** Describe the largest files that a stage accepts, and how it could accept larger ones. */
export function describeUploads(stage: Stage): string {
  const { settings } = stage;
  const byUpload = `${stage.name} takes files of ${describeLimits(settings)}.`;
  if (hasRelayedUploads(stage)) return byUpload;
  return (
    `${byUpload} Existing clients expect 104,857,632 and 26,214,432: relays behind a distribution take them (uploads.mode). ` +
    `Signed addresses (POST /assets/uploads), for clients that know them, take files of ${describeLimits(settings.signedUploads)}.`
  );
}

function describeLimits({ maxTotalBytes, maxTotalBytesStrict }: Settings["signedUploads"]): string {
  const [team, personal] = [maxTotalBytes, Math.min(maxTotalBytes, maxTotalBytesStrict)].map((bytes) =>
    bytes.toLocaleString("en"),
  );
  return `${team} bytes, and of ${personal} from users without a team`;
}

/**
 * SQS looks for groups only among the first messages of a FIFO queue: groups behind a longer backlog wait until it is
 * handled.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/avoid-backlog-with-the-same-message-group-id.html
 */
const searchedMessages = 120_000;

/**
 * Check that a backlog stays within that limit. Senders are refused once their messages are late, and again after each
 * pause; until then, every request may be a message.
 *
 * @throws InvalidStageError when SQS would not look through all of them
 */
function refuseLongBacklogs({ throttle: { requestsPerSecond, burst }, settings }: Stage): void {
  const { afterSecs, pauseSecs } = settings.setMessageBacklog;
  const seconds = afterSecs + pauseSecs;
  const messages = requestsPerSecond * seconds + burst;
  if (messages <= searchedMessages) return;
  const most = Math.floor((searchedMessages - burst) / seconds);
  throw new InvalidStageError(
    `throttle: ${requestsPerSecond} requests a second for ${seconds} seconds and a burst of ${burst} are ${messages} ` +
      `messages, of which SQS looks through ${searchedMessages}: ` +
      (most > 0 ? `lower requestsPerSecond to ${most}` : "lower burst") +
      ", or settings.setMessageBacklog",
  );
}
