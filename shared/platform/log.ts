import { Logger } from "@aws-lambda-powertools/logger";
import type { LogAttributes, LogLevel } from "@aws-lambda-powertools/logger/types";
import { currentRequestId } from "./request-id.ts";

/** Matches keys whose values never reach a log, however deeply they are nested. */
const secretKey = /password|secret|token|cookie|code|authorization|e?mail|phone|nonce|^key$|label/i;

/**
 * Codes by key: of errors, which AWS spells `ConditionalCheckFailed`, and Node `ECONNRESET` or `ERR_INVALID_ARG_TYPE`;
 * and ids of operations, some of which look like addresses.
 */
const codes: Readonly<Record<string, RegExp>> = {
  Code: /^[A-Za-z]+$/,
  code: /^(E[A-Z]+|ERR_[A-Z_]+)$/,
  operation: /^[a-z\d-]+(@v\d+)?$/i,
  operationId: /^[a-z\d-]+(@v\d+)?$/i,
};

/** Addresses and phone numbers inside of texts: providers quote the recipient in their errors. */
const recipient = /[^\s@/"'<>(),;:]{1,64}@[^\s@/"'<>(),;:]{1,255}|\+\d{7,15}/g;

/** Types of DynamoDB attributes: errors contain the item that broke a condition, each value under its type. */
const attributeTypes = new Set(["S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"]);

type Level = "debug" | "info" | "warn" | "error";

type Write = (message: string, details?: LogAttributes) => void;

/**
 * JSON lines on standard output, with the id of the request on whose behalf they are written. Messages are stable codes;
 * details carry ids, never secrets or addresses.
 */
export interface Log extends Record<Level, Write> {
  /** Writes a line with metrics for CloudWatch, with the stage; at any level, but only on AWS. */
  metric(fields: object): void;
}

/** Creates the logger of a function. @param stage name of the stage; without it, no metrics are written */
export function createLog(functionName: string, level: string, stage?: string): Log {
  const logger = new Logger({
    serviceName: functionName,
    logLevel: level as LogLevel,
    jsonReplacerFn: redact,
  });
  const writer = (level: Level): Write => {
    return (message, details) => {
      const requestId = currentRequestId();
      logger[level](message, requestId === undefined ? { ...details } : { requestId, ...details });
    };
  };
  return {
    debug: writer("debug"),
    info: writer("info"),
    warn: writer("warn"),
    error: writer("error"),
    metric(fields: object) {
      if (stage !== undefined) process.stdout.write(`${JSON.stringify({ ...fields, stage })}\n`);
    },
  };
}

function redact(key: string, value: unknown): unknown {
  if (typeof value === "object" && value !== null) {
    return secretKey.test(key) || isAttribute(value) ? "[redacted]" : value;
  }
  if (typeof value !== "string" || codes[key]?.test(value)) return value;
  return secretKey.test(key) ? "[redacted]" : value.replace(recipient, "[redacted]");
}

function isAttribute(value: object): boolean {
  const [type = "", ...more] = Object.keys(value);
  return more.length === 0 && attributeTypes.has(type);
}
