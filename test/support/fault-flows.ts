import { beforeAll, describe, expect, it } from "vitest";
import { type ApiAnswer, outcome } from "./api.ts";
import { eventually } from "./eventually.ts";
import { type FaultRow, startFaults } from "./faults.ts";
import { times } from "./soak.ts";

/**
 * Changes that clients make while calls of AWS fail, in three steps, each of which returns the next one:
 * 1. prepare what they need, without faults;
 * 2. do them with a client that repeats requests, with faults;
 * 3. check what must hold afterwards, once there are no faults any more.
 */
export type Flow = () => Promise<(client: RepeatingClient) => Promise<() => Promise<unknown>>>;

/** Instances of each flow in the soak. */
const instancesInSoak = 8;

/**
 * Declare flows, by title. All of them happen at the same time, so that they share the faults: in `npm test` once, in the
 * soak several times. What has to be checked is checked until it holds, because events may be on their way.
 */
export function describeFlows(
  subject: string,
  rows: readonly FaultRow[],
  flows: Readonly<Record<string, Flow>>,
) {
  describe(subject, () => {
    let faults: ReturnType<typeof startFaults>;
    const checks = new Map<string, Promise<(() => Promise<unknown>)[]>>();

    beforeAll(async () => {
      const instances = Object.entries(flows).map(async ([title, prepare]) => {
        const ready = await Promise.all(Array.from({ length: times(1, instancesInSoak) }, prepare));
        return [title, ready] as const;
      });
      const prepared = await Promise.all(instances);
      faults = startFaults(rows);
      for (const [title, ready] of prepared)
        checks.set(title, Promise.all(ready.map((change) => change(new RepeatingClient()))));
      await Promise.allSettled(checks.values());
      faults.end();
    });

    it.for(Object.keys(flows))("%s", async (title) => {
      for (const check of (await checks.get(title)) ?? []) await eventually(check);
    });

    it("meets each kind of fault meanwhile", () => {
      const kinds = new Set(rows.flatMap((row) => row.faults));
      expect(new Set(faults.counts().keys())).toEqual(kinds);
    });
  });
}

/** Sends requests as a client would: again when the server failed or was busy. */
export class RepeatingClient {
  /** Whether a request was repeated: it may have had its effect before. */
  hasRepeated = false;

  /**
   * @param repeated outcomes that are also accepted of a repetition, because the first request may have had its effect
   */
  async send(request: () => Promise<ApiAnswer>, expected: string, ...repeated: string[]): Promise<ApiAnswer> {
    const accepted = [expected];
    const isRepeated = () => {
      this.hasRepeated = true;
      accepted.push(...repeated);
    };
    const answer = await eventually(async () => {
      const current = await request().catch((error) => {
        isRepeated();
        throw error;
      });
      if (current.status !== 503 && outcome(current) !== "409 concurrent-change") return current;
      isRepeated();
      throw new Error(`Answered ${outcome(current)} instead of ${expected}`);
    });
    expect(accepted).toContain(outcome(answer));
    return answer;
  }
}
