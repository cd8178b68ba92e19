import type { Log } from "#shared/platform/log.ts";

/** A log that only remembers its lines, each with its level and message, and its metrics. */
export function recordedLog() {
  const lines: object[] = [];
  const metrics: object[] = [];
  const writer = (level: string) => (message: string, details?: object) => {
    lines.push({ level, message, ...details });
  };
  const log: Log = {
    debug: writer("debug"),
    info: writer("info"),
    warn: writer("warn"),
    error: writer("error"),
    metric: (fields) => {
      metrics.push(fields);
    },
  };
  return { log, lines, metrics };
}
