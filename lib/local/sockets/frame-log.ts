import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { CloudWatchLogsDecodedData, CloudWatchLogsEvent } from "aws-lambda";
import { frameEventType, socketLogFields } from "#shared/events/sockets/socket-log.ts";
import { type Background, printError, type Report } from "../timer.ts";
import type { SocketIdentity } from "./socket-event.ts";

/** How long lines gather into one batch. */
const batchMilliseconds = 1000;

/** A frame from a client, as API Gateway logs it. */
interface Frame extends Pick<SocketIdentity, "connectionId" | "sourceIp"> {
  readonly routeKey: string;
  readonly status: number;
  /** Unix milliseconds. */
  readonly at: number;
}

/** The log of the WebSocket API. A function gets its lines about frames in batches, as CloudWatch delivers them. */
export class FrameLog implements Background {
  readonly #invoke: (event: CloudWatchLogsEvent) => Promise<unknown>;
  #lines: CloudWatchLogsDecodedData["logEvents"] = [];
  #timer: NodeJS.Timeout | undefined;
  #handOver: Promise<unknown> = Promise.resolve();
  readonly #report: Report;
  #isStopped = false;

  constructor(invoke: (event: CloudWatchLogsEvent) => Promise<unknown>, report: Report = printError) {
    this.#invoke = invoke;
    this.#report = report;
  }

  note(frame: Frame): void {
    if (this.#isStopped) return;
    this.#lines.push({ id: randomUUID(), timestamp: frame.at, message: lineOf(frame) });
    this.#timer ??= setTimeout(() => this.#flush(), batchMilliseconds);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#flush();
    await this.#handOver;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const logEvents = this.#lines.splice(0);
    if (logEvents.length === 0) return;
    const invocation = this.#invoke(toEvent(logEvents)).catch(this.#report);
    this.#handOver = Promise.all([this.#handOver, invocation]);
  }
}

function lineOf({ connectionId, sourceIp, routeKey, status }: Frame): string {
  const values: Record<(typeof socketLogFields)[number], string | number> = {
    connectionId,
    eventType: frameEventType,
    routeKey,
    status,
    "identity.sourceIp": sourceIp,
    requestId: randomUUID(),
    "error.message": "-",
  };
  return socketLogFields.map((field) => values[field]).join(" ");
}

function toEvent(logEvents: CloudWatchLogsDecodedData["logEvents"]): CloudWatchLogsEvent {
  const content: CloudWatchLogsDecodedData = {
    messageType: "DATA_MESSAGE",
    owner: "000000000000",
    logGroup: "sockets",
    logStream: "local",
    subscriptionFilters: ["frames"],
    logEvents,
  };
  return { awslogs: { data: gzipSync(JSON.stringify(content)).toString("base64") } };
}
