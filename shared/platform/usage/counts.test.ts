import { describe, expect, it } from "vitest";
import { injectFaults } from "../../../test/support/faults.ts";
import { seededRandom } from "../../../test/support/seeded-random.ts";
import type { Config } from "../config.ts";
import { createDynamo } from "../data/dynamo.ts";
import type { Log } from "../log.ts";
import { Counts } from "./counts.ts";
import { Statistics } from "./statistics.ts";

const dynamo = createDynamo();
/** Each test has a day of its own, in the distant past. */
let days = 0;

function countsOn({ exactPerMinute = 10, sampleOneIn = 16 } = {}) {
  const time = Date.UTC(1990, 0, 1 + days++);
  const config = {
    tableName: (name) => `test-${name}`,
    settings: { statistics: { sampleOneIn, exactPerMinute } },
  } as Config;
  const metrics: Record<string, number> = {};
  const warnings: string[] = [];
  const log = {
    metric(fields: Record<string, number>) {
      for (const [name, value] of Object.entries(fields))
        if (/^[A-Z]/.test(name)) metrics[name] = (metrics[name] ?? 0) + value;
    },
    warn: (message: string) => warnings.push(message),
  } as unknown as Log;
  const context = { dynamo, config, log, clock: () => time };
  return {
    counts: new Counts({ ...context, random: seededRandom(1) }),
    metrics,
    warnings,
    stored: async () => (await new Statistics(context).days([new Date(time).toISOString().slice(0, 10)]))[0],
  };
}

describe.concurrent("counts", () => {
  it("are exact while there are few, also when they are made concurrently", async () => {
    const { counts, stored } = countsOn();
    await Promise.all([
      ...Array.from({ length: 4 }, () => counts.add({ messages: 3 })),
      ...Array.from({ length: 5 }, () => counts.add({ deliveries: 20, failedLogins: 1 })),
    ]);
    expect(await stored()).toMatchObject({
      messages: 12,
      deliveries: 100,
      failedLogins: 5,
      registrations: 0,
    });
  });

  it("are estimates in the table when there are many, and exact in the metrics", async () => {
    const { counts, metrics, stored } = countsOn({ exactPerMinute: 5, sampleOneIn: 4 });
    for (let batch = 0; batch < 2000; batch++) await counts.add({ messages: 2 });
    expect(metrics.Messages).toBe(4000);
    const { messages = 0 } = (await stored()) ?? {};
    expect(messages / 4000).toBeGreaterThan(0.93);
    expect(messages / 4000).toBeLessThan(1.07);
  });

  it("of users are always exact", async () => {
    const { counts, stored } = countsOn({ exactPerMinute: 0 });
    await Promise.all(Array.from({ length: 30 }, () => counts.add({ activeUsers: 1, monthlyUsers: 0 })));
    expect(await stored()).toMatchObject({ activeUsers: 30, monthlyUsers: 0 });
  });
});

it("counting does not fail when the table does, and still writes the metric", async () => {
  const { counts, metrics, warnings } = countsOn();
  const stop = injectFaults(() => "denied");
  await counts.add({ registrations: 1 });
  stop();
  expect(metrics.Registrations).toBe(1);
  expect(warnings).toEqual(["not-counted"]);
});
