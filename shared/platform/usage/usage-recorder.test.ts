import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../test/support/seeded-random.ts";
import type { Log } from "../log.ts";
import type { Settings } from "../product.ts";
import { asSampled, charge, currentSample, noteHandled } from "./measured-work.ts";
import type { Consumption } from "./statistics.ts";
import { UsageRecorder } from "./usage-recorder.ts";

type Added = Partial<Consumption> & { payer: string | undefined };

/** A recorder that measures one of so many, with what it has added. */
function recorderOf(sampleOneIn: number | null, { isBroken = false } = {}) {
  const added: Added[] = [];
  const warnings: string[] = [];
  const recorder = new UsageRecorder({
    config: { settings: { statistics: { sampleOneIn, exactPerMinute: 10 } } as Settings },
    log: { warn: (message: string) => warnings.push(message) } as unknown as Log,
    random: seededRandom(1),
    statistics: {
      async addConsumption(payer, consumption) {
        if (isBroken) throw new Error("No table");
        added.push({ payer, ...consumption });
      },
    },
  });
  return { recorder, added, warnings };
}

const sumOf = (added: readonly Added[], name: keyof Consumption) =>
  added.reduce((sum, one) => sum + (one[name] ?? 0), 0);

describe("measured requests", () => {
  it("represent all requests, whichever are measured", async () => {
    const { recorder, added } = recorderOf(16);
    for (let request = 0; request < 30_000; request++)
      await recorder.request(async () => charge(async () => "team"));
    expect(added.length).toBeLessThan(2200);
    expect(sumOf(added, "requests") / 30_000).toBeGreaterThan(0.97);
    expect(sumOf(added, "requests") / 30_000).toBeLessThan(1.03);
  });

  it("look nobody up, and add nothing, when they are not measured", async () => {
    const { recorder, added } = recorderOf(null);
    const answer = await recorder.request(async () => {
      await charge(() => Promise.reject(new Error("Nobody is to be looked up")));
      return "answer";
    });
    expect(answer).toBe("answer");
    expect(added).toEqual([]);
  });

  it("that overlap are paid by their own payers", async () => {
    const { recorder, added } = recorderOf(1);
    const request = (payer: string | undefined) =>
      recorder.request(async () => {
        await charge(async () => payer);
        await new Promise((resolve) => setImmediate(resolve));
        expect(currentSample()).toEqual({ oneIn: 1, payer });
      });
    await Promise.all([request("one"), request("other"), request(undefined)]);
    expect(added.map(({ payer }) => payer)).toEqual(["one", "other", undefined]);
  });

  it("count even when they fail, and do not fail when they cannot be counted", async () => {
    const { recorder, added } = recorderOf(1);
    const failure = new Error("Failed");
    await expect(recorder.request(() => Promise.reject(failure))).rejects.toBe(failure);
    expect(added).toMatchObject([{ requests: 1, invocations: 1 }]);
    const broken = recorderOf(1, { isBroken: true });
    const answered = broken.recorder.request(async () => {
      await charge(() => Promise.reject(failure));
      return "answer";
    });
    expect(await answered).toBe("answer");
    expect(broken.warnings).toEqual(["usage-not-recorded"]);
  });
});

describe("a batch of a worker", () => {
  it("is charged to the payers of its measured items, to each by its share", async () => {
    const { recorder, added } = recorderOf(16);
    await recorder.batch(2, async () => {
      noteHandled({ payer: "one", oneIn: 16 }, 3);
      noteHandled({ payer: "one", oneIn: 16 }, 1);
      noteHandled({ payer: "other", oneIn: 4 }, 2);
      noteHandled(undefined, 10);
    });
    expect(added).toMatchObject([
      { payer: "one", invocations: 4, queuedMessages: 8 },
      { payer: "other", invocations: 0.5, queuedMessages: 1 },
    ]);
    expect(sumOf(added, "requests")).toBe(0);
  });

  it("costs nothing extra when nothing in it is measured", async () => {
    const { recorder, added } = recorderOf(16);
    await recorder.batch(1, async () => noteHandled(undefined));
    await recorder.batch(1, async () => {});
    expect(added).toEqual([]);
  });

  it("is the same on average as if all messages were measured", async () => {
    const { recorder, added } = recorderOf(16);
    const random = seededRandom(2);
    for (let batch = 0; batch < 3000; batch++) {
      await recorder.batch(10, async () => {
        for (let message = 0; message < 10; message++)
          noteHandled(random() * 16 < 1 ? { payer: "team", oneIn: 16 } : undefined);
      });
    }
    expect(sumOf(added, "invocations") / 3000).toBeGreaterThan(0.95);
    expect(sumOf(added, "invocations") / 3000).toBeLessThan(1.05);
  });
});

it("measured work passes its sample on to its consequences", () => {
  const sample = { payer: "team", oneIn: 16 };
  expect(asSampled(sample, currentSample)).toEqual(sample);
  expect(currentSample()).toBeUndefined();
});
