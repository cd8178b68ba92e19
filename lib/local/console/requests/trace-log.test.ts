import { expect, test } from "vitest";
import { tracedLevel, traceLines } from "./trace-lines.ts";
import { TraceLog } from "./trace-log.ts";

test("the latest traces are kept, each with a bounded number of entries and length of lines", () => {
  const traces = new TraceLog(2);
  for (let count = 0; count < 200; count += 1) traces.addLine("one", "x".repeat(5000));
  expect(traces.get("one").lines).toHaveLength(100);
  expect(traces.get("one").lines[0]).toHaveLength(1002);
  traces.addMessage("two", { queue: "mail", type: undefined });
  traces.addMessage("three", { queue: "events", type: "user.update" });
  expect(traces.get("one")).toEqual({ calls: [], messages: [], lines: [] });
  expect(traces.get("three").messages).toEqual([{ queue: "events", type: "user.update" }]);
});

/** A stream that keeps printed lines, and lines in the format of functions. */
function terminal() {
  const printed: string[] = [];
  const stream = { write: (text: unknown) => printed.push(String(text)) > 0 } as Pick<
    NodeJS.WriteStream,
    "write"
  >;
  const line = (fields: object) => `${JSON.stringify(fields)}\n`;
  return { printed, stream, line };
}

test("lines are traced by the ids of their requests, and printed if their level is high enough", () => {
  const traces = new TraceLog();
  const { printed, stream, line } = terminal();
  const end = traceLines(traces, "WARN", [stream]);
  const info = line({ level: "INFO", message: "request", requestId: "one" });
  const warning = line({ level: "WARN", message: "late", requestIds: ["one", "two"] });
  for (const text of [info, warning, "Parley runs\n", '{"no level"\n']) stream.write(text);
  end();
  stream.write(info);
  expect(printed).toEqual([warning, "Parley runs\n", '{"no level"\n', info]);
  expect(traces.get("one").lines).toEqual([info.trim(), warning.trim()]);
  expect(traces.get("two").lines).toEqual([warning.trim()]);
});

test("the callback of a write is called even if the line is not printed", async () => {
  const { stream, line } = terminal();
  const end = traceLines(new TraceLog(), "ERROR", [stream]);
  await new Promise<void>((resolve) => {
    stream.write(line({ level: "INFO" }), () => resolve());
  });
  end();
});

test("functions log at the level that the console needs, or a lower one if that is to be printed", () => {
  expect(["DEBUG", "INFO", "WARN", "CRITICAL", "debug"].map(tracedLevel)).toEqual([
    "DEBUG",
    "INFO",
    "INFO",
    "INFO",
    "debug",
  ]);
});
