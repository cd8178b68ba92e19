import { describe, expect, it } from "vitest";
import { recordedLog } from "../../../test/support/recorded-log.ts";
import { createHandler, type Deps } from "./handler.ts";

const now = Date.UTC(2030, 0, 1, 12);

/** The metrics of a run that finds these queues in the outbox, with the age of their oldest message, and parked messages. */
async function metricsOf(found: { readonly late?: object[]; readonly parked?: object[] }) {
  const { log, metrics } = recordedLog();
  const page = { lanes: found.late ?? [], parked: found.parked ?? [] };
  const handler = createHandler({
    clock: () => now,
    log,
    settings: { outboxResendSeconds: 60 },
    sweep: { nextPage: async () => page, isAtEnd: true },
  } as unknown as Deps);
  await handler();
  return metrics.map((fields) => {
    const { _aws: _, ...rest } = fields as Record<string, unknown>;
    return rest;
  });
}

describe("the sweeper", () => {
  it("reports the age of messages, and the number of parked ones, by queue and in all", async () => {
    const messageIdOf = (seconds: number) =>
      `${new Date(now - seconds * 1000).toISOString()}#000000#0190a5b8`;
    const late = [
      { queue: "mail", oldest: { messageId: messageIdOf(90) }, isDue: false },
      { queue: "events", oldest: { messageId: messageIdOf(70) }, isDue: false },
    ];
    const parked = [{ queue: "events" }, { queue: "events" }, { queue: "mail" }];
    expect(await metricsOf({ late, parked })).toEqual([
      expect.objectContaining({ queue: "mail", OldestOutboxItemSeconds: 90 }),
      expect.objectContaining({ queue: "events", OldestOutboxItemSeconds: 70 }),
      expect.objectContaining({ queue: "events", ParkedMessages: 2 }),
      expect.objectContaining({ queue: "mail", ParkedMessages: 1 }),
      expect.objectContaining({ outbox: "all", OldestOutboxItemSeconds: 90 }),
      expect.objectContaining({ outbox: "all", ParkedMessages: 3 }),
    ]);
  });

  it("reports nothing about queues without problems, because each hour with a value costs", async () => {
    expect(await metricsOf({})).toEqual([]);
  });
});
