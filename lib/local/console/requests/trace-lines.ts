import type { TraceLog } from "./trace-log.ts";

/** Levels of the log, lowest first. */
const levels = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "CRITICAL", "SILENT"];
const rank = (level: string) => levels.indexOf(level.toUpperCase());

/** The level at which functions must write so that the console has a line for each request. */
export const tracedLevel = (printed: string): string => (rank(printed) < rank("INFO") ? printed : "INFO");

type Stream = Pick<NodeJS.WriteStream, "write">;

/**
 * Trace the lines that functions write, and print only those of a level and above.
 * @returns a function that ends it
 */
export function traceLines(
  traces: TraceLog,
  printed: string,
  streams: readonly Stream[] = [process.stdout, process.stderr],
): () => void {
  const ends = streams.map((stream) => {
    const { write } = stream;
    stream.write = (chunk: unknown, ...rest: unknown[]) => {
      const line = typeof chunk === "string" ? readLine(chunk) : undefined;
      for (const requestId of line?.requestIds ?? []) traces.addLine(requestId, String(chunk).trim());
      const isPrinted = line === undefined || rank(line.level) >= rank(printed);
      const shown = isPrinted ? undefined : failedDelivery(String(chunk));
      if (shown !== undefined) return Reflect.apply(write, stream, [shown, ...rest]);
      if (isPrinted) return Reflect.apply(write, stream, [chunk, ...rest]);
      const done = rest.findLast((argument) => typeof argument === "function");
      if (done !== undefined) queueMicrotask(() => done());
      return true;
    };
    return () => {
      stream.write = write;
    };
  });
  return () => {
    for (const end of ends) end();
  };
}

/** A line for a developer whose webhook receiver does not accept an event; the service itself only counts that. */
function failedDelivery(text: string): string | undefined {
  const { message, webhookId, reason } = JSON.parse(text);
  return message === "webhook-attempt-failed"
    ? `Webhook ${webhookId} was not delivered: ${reason}\n`
    : undefined;
}

/** A line that a function has written; undefined for other output. */
function readLine(text: string): { level: string; requestIds: string[] } | undefined {
  if (!text.startsWith('{"')) return undefined;
  try {
    const { level, requestId, requestIds = [] } = JSON.parse(text);
    if (typeof level !== "string") return undefined;
    return {
      level,
      requestIds: [...new Set([requestId, ...requestIds])].filter((id) => typeof id === "string"),
    };
  } catch {
    return undefined;
  }
}
