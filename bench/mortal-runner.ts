import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { SettingsInput } from "#shared/registry/settings.ts";
import { type ApiAnswer, outcome } from "../test/support/api.ts";
import { type Runner, startRunner } from "../test/support/runner.ts";
import { testSettings } from "../test/support/test-settings.ts";
import type { Row } from "./table.ts";

const pauseMilliseconds = 50;
/** How long a client repeats a request. */
const patienceMilliseconds = 120_000;

/** Whether a client sends the same request again: it got no answer, or one that asks for that. */
const isUnfinished = ({ status, body }: ApiAnswer) =>
  status >= 500 || (status === 409 && body.label === "concurrent-change");

/** A runner that is killed and started again on the same data. */
export class MortalRunner {
  kills = 0;
  /** Requests that were sent again, because nobody answered or nobody could. */
  repetitions = 0;
  readonly #folder = mkdtempSync(join(tmpdir(), "kills-"));
  #running: Promise<Runner>;

  constructor(settings: SettingsInput = {}) {
    const all = {
      ...testSettings,
      setDailyWriteBudget: { perUser: null, perAnonymousUser: null },
      setUserCookieThrottle: { stdDev: 0, retryAfter: 0 },
      outboxResendSeconds: 1,
      ...settings,
    };
    writeFileSync(join(this.#folder, "settings.json"), JSON.stringify(all));
    this.#running = startRunner(this.#folder);
    process.on("exit", () => rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 }));
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
  }

  /** The process that runs now, or the next one. */
  get running(): Promise<Runner> {
    return this.#running;
  }

  /**
   * Kill the process at random moments while some work goes on, and start another one each time.
   * @param options.onKilled called after the last kill
   */
  async killDuring<Result>(
    work: Promise<Result>,
    {
      kills,
      longestLifeMilliseconds,
      onKilled,
    }: { kills: number; longestLifeMilliseconds: number; onKilled?: () => void },
  ): Promise<Result> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    work.then(done, done);
    while (this.kills < kills) {
      const runner = await this.#running;
      await pause(randomInt(longestLifeMilliseconds));
      if (isDone) break;
      this.#running = runner.kill().then(() => startRunner(this.#folder));
      this.kills++;
      process.stdout.write(`killed ${this.kills} of ${kills}\n`);
    }
    onKilled?.();
    return work;
  }

  async stop(): Promise<void> {
    await (await this.#running).kill();
  }

  /**
   * Send a request as a client does: again until there is an answer.
   * @param accepted outcomes, such as `200`; beginning with `again:`, only of a repetition
   */
  async send(
    request: (runner: Runner) => Promise<ApiAnswer>,
    ...accepted: string[]
  ): Promise<ApiAnswer & { isRepeated: boolean }> {
    const startedAt = performance.now();
    for (let isRepeated = false; ; isRepeated = true) {
      const answer = await request(await this.#running).catch((error: NodeJS.ErrnoException) => {
        if (error.code === undefined) throw error;
        return undefined;
      });
      if (answer !== undefined && !isUnfinished(answer)) {
        const expected = [
          ...accepted,
          ...(isRepeated ? accepted.map((one) => one.replace("again:", "")) : []),
        ];
        if (expected.includes(outcome(answer))) return { ...answer, isRepeated };
        throw new Error(`Answered ${outcome(answer)} ${JSON.stringify(answer.body)} instead of ${accepted}`);
      }
      if (performance.now() - startedAt > patienceMilliseconds)
        throw new Error(`Still answered ${answer && outcome(answer)} instead of ${accepted}`);
      this.repetitions++;
      await pause(pauseMilliseconds);
    }
  }
}

/** What a part of the kills has found. */
export interface KillReport {
  readonly row: Row;
  readonly problems: readonly string[];
}

/** What a user can read of an event. */
export interface LoggedEvent {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: each type has fields of its own
  readonly [field: string]: any;
}

/** All events that are stored for a user. */
export async function readLog({ internalApi }: Runner, userId: string): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  let last: string | undefined;
  for (let hasMore = true; hasMore; ) {
    const since = last === undefined ? "" : `&since=${last}`;
    const headers = { "z-user": userId };
    const { status, body } = await internalApi("GET", `/notifications?size=1000${since}`, { headers });
    if (status !== 200) throw new Error(`Notifications were answered ${status}`);
    for (const { id, payload } of body.notifications) if (id !== last) events.push(...payload);
    last = body.notifications.at(-1)?.id ?? last;
    hasMore = body.has_more;
  }
  return events;
}

/** Names that are expected and not found, and those found too often, in any order. */
export function differencesOf(expected: readonly string[], found: readonly string[]) {
  const missing = new Map<string, number>();
  for (const name of expected) missing.set(name, (missing.get(name) ?? 0) + 1);
  const surplus: string[] = [];
  for (const name of found) {
    const left = missing.get(name) ?? 0;
    if (left > 0) missing.set(name, left - 1);
    else surplus.push(name);
  }
  const lost = [...missing].flatMap(([name, count]) => Array.from({ length: count }, () => name));
  return { lost, surplus };
}
