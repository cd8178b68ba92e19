import { defaultDrainSeconds, maxSockets, writeUnitsPerSocket } from "../relay/limits.ts";

/** Whether API Gateway or relays hold sockets. */
type SocketHolder = "gateway" | "relay";

/** The activity of an installation's users. */
export interface Load {
  /** Active users, with a device each. */
  readonly users: number;
  /** Messages that each sends in a day. */
  readonly messages: number;
  /** Members of a group, including the sender. */
  readonly group: number;
  /** Files that each sends in a day, to a group; the others fetch each once. */
  readonly files: number;
  readonly sockets: SocketHolder;
  /** Hours of a day that a device is connected. */
  readonly hours: number;
}

export const usualLoad: Load = {
  users: 50_000,
  messages: 40,
  group: 8,
  files: 2,
  sockets: "relay",
  hours: 10,
};

/** Backups whose copies are priced if the stage asks for none. */
export const usualCopies = { days: 35, everyHours: 24 } as const;

/** Assumptions and measurements on emulators (`npm run bench`), each for one message, file, request or socket. */
export const assumptions = {
  daysPerMonth: 30,
  /** Ratio of the requests at the busiest time of the day to the mean over the hours in which users are connected. */
  peak: 3,
  memoryGigabytes: 1,
  /**
   * From request to logs: `npm run bench -- --only messages`, with 10 members. A request carries the bytes for each
   * device once more.
   */
  message: {
    readUnitsPerMember: 3.3,
    writeUnitsPerMember: 1,
    milliseconds: 90,
    bytesPerMember: 600,
    /** A log keeps an entry for 28 days. */
    keptBytes: 900,
    keptDays: 28,
  },
  /** Headers and body of a request, besides messages and files. */
  sentBytes: 1500,
  /** All other requests, mostly renewals of tokens: this many in an hour of connection, and for each socket. */
  other: { perHour: 5, perSocket: 1, readUnits: 3, writeUnits: 0.6, milliseconds: 30, bytes: 2000 },
  /** Mean size; kept for a year. */
  file: {
    bytes: 500_000,
    keptMonths: 12,
    /** Of a function, or of a task's processor. */
    milliseconds: 60,
    readUnits: 2,
    writeUnits: 9,
  },
  /** Everything else that is stored of a user. */
  storedBytesPerUser: 30_000,
  logBytes: {
    /** The line of a request, with the 26 bytes that each is charged. */
    request: 250 + 26,
    /** The lines of API Gateway and of Lambda: access, START, END, REPORT. */
    gateway: 240 + 26,
    invocation: 300 + 3 * 26,
  },
  logCompression: 0.15,
  logKeptMonths: 3,
  pingSeconds: 20,
  /** Mean life of a socket: it ends after a random time of 90 to 120 minutes. */
  socketMinutes: 105,
  socket: {
    readUnits: 4,
    writeUnits: writeUnitsPerSocket,
    /**
     * When the access token of a socket expires, a check finds out whether its session still exists. On API Gateway,
     * such a check also closes sockets. SQS delays a message by at most a quarter of an hour, so checks are sent again
     * and again.
     */
    checks: { gateway: 7, relay: 1 },
    checkReadUnits: 2,
    openMilliseconds: 25,
    closeMilliseconds: 12,
    checkMilliseconds: 12,
    /** On the wire, with the headers of TCP, IP and TLS. */
    handshakeBytes: 5000,
    pongBytes: 90,
    frameBytes: 1100,
  },
  /** A line of the WebSocket API's access log about a ping; a function reads this many at a time. */
  frameLog: { bytes: 176, linesPerRun: 50, milliseconds: 10 },
  relay: {
    socketsPerTask: maxSockets / 2,
    minTasks: 2,
    cores: 1,
    gigabytes: 4,
    zones: 2,
    drainSeconds: defaultDrainSeconds,
  },
  /** Messages per mail. */
  mailsPerUserMonth: 0.5,
} as const;

/** Numbers of events in a month. */
export interface Monthly {
  readonly messages: number;
  readonly frames: number;
  readonly files: number;
  readonly downloads: number;
  readonly others: number;
  readonly handshakes: number;
  readonly pings: number;
  readonly openSeconds: number;
  /** Requests to the public API. */
  readonly requests: number;
}

export function monthlyOf({ users, messages, group, files, hours }: Load): Monthly {
  const { daysPerMonth, socketMinutes, pingSeconds, other } = assumptions;
  const days = users * daysPerMonth;
  const openSeconds = days * hours * 3600;
  const handshakes = openSeconds / (60 * socketMinutes);
  const each = {
    messages: days * messages,
    frames: days * messages * (group - 1),
    files: days * files,
    downloads: days * files * (group - 1),
    others: days * hours * other.perHour + handshakes * other.perSocket,
    handshakes,
    pings: openSeconds / pingSeconds,
    openSeconds,
  };
  return { ...each, requests: each.messages + each.files + each.downloads + each.others };
}

export const hoursPerMonth = 24 * assumptions.daysPerMonth;

/** Number of relays that hold the sockets of a load while everybody is connected. */
export const tasksFor = (users: number): number =>
  Math.max(assumptions.relay.minTasks, Math.ceil(users / assumptions.relay.socketsPerTask));
