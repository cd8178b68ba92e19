import { afterEach, expect, it, vi } from "vitest";
import { createLog } from "./log.ts";
import { emitMetric } from "./metrics.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

function linesWritten(level: string, stage: string | undefined): unknown[] {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const log = createLog("test", level, stage);
  emitMetric("OldestOutboxItemSeconds", { value: 7, unit: "Seconds", queue: "mail", log });
  const lines = write.mock.calls.map(([text]) => text as string);
  write.mockRestore();
  expect(lines.filter((text) => !text.endsWith("\n"))).toEqual([]);
  return lines.map((text) => JSON.parse(text));
}

it.each(["DEBUG", "ERROR", "SILENT"])(
  "a metric is written at log level %s, with its stage and queue",
  (level) => {
    expect(linesWritten(level, "prod")).toEqual([
      {
        _aws: {
          Timestamp: expect.any(Number),
          CloudWatchMetrics: [
            {
              Namespace: "Parley",
              Dimensions: [["stage", "queue"]],
              Metrics: [{ Name: "OldestOutboxItemSeconds", Unit: "Seconds" }],
            },
          ],
        },
        stage: "prod",
        queue: "mail",
        OldestOutboxItemSeconds: 7,
      },
    ]);
  },
);

it("no metric is written where there is no stage", () => {
  expect(linesWritten("DEBUG", undefined)).toEqual([]);
});

it("a metric of an API has its audience instead of a queue", () => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const log = createLog("test", "INFO", "prod");
  emitMetric("DeliberateServerErrors", { value: 1, unit: "Count", audience: "public", log });
  const [line] = write.mock.calls.map(([text]) => JSON.parse(text as string));
  write.mockRestore();
  expect(line).toMatchObject({ stage: "prod", audience: "public", DeliberateServerErrors: 1 });
  expect(line._aws.CloudWatchMetrics[0].Dimensions).toEqual([["stage", "audience"]]);
});
