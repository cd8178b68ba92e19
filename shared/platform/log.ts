import { Logger } from "@aws-lambda-powertools/logger";
import type { LogLevel } from "@aws-lambda-powertools/logger/types";

/** Matches keys whose values never reach a log, however deeply they are nested. */
const secretKey = /password|secret|token|cookie|code|authorization|e?mail|phone|nonce|^key$|label/i;

/** JSON lines on standard output. Messages are stable codes; details carry ids, never secrets or addresses. */
export type Log = Pick<Logger, "debug" | "info" | "warn" | "error">;

/** Creates the logger of a function. */
export function createLog(functionName: string, level: string): Log {
  return new Logger({
    serviceName: functionName,
    logLevel: level as LogLevel,
    jsonReplacerFn: (key, value) => (typeof value === "string" && secretKey.test(key) ? "[redacted]" : value),
  });
}
