import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { SettingsInput } from "#shared/registry/settings.ts";
import { type ApiAnswer, outcome } from "../api.ts";
import { type Runner, startRunner } from "../runner.ts";
import { testSettings } from "../test-settings.ts";

const pauseMilliseconds = 50;
/** A process lives between its start and a random moment of this time. */
const longestLifeMilliseconds = 2500;
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
    { kills, onKilled }: { kills: number; onKilled?: () => void },
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

/** Work that goes on while its runner is killed, and what must hold in the end. */
export interface WorkUnderKills<Scene, Done> {
  /** Prepares the work. */
  start(runner: Runner): Promise<Scene>;
  /** Begins all of the work. Endless parts check whether the last kill has happened. */
  work(mortal: MortalRunner, scene: Scene, isOver: () => boolean): Promise<Done>[];
  /** Compares what was answered with what is there. @returns figures, and what is wrong */
  check(
    runner: Runner,
    scene: Scene,
    done: readonly Done[],
  ): Promise<{ figures: Record<string, number>; problems: readonly string[] }>;
}

/** Kill the runner again and again while some work goes on. */
export async function workUnderKills<Scene, Done>(
  { start, work, check }: WorkUnderKills<Scene, Done>,
  kills: number,
): Promise<{ figures: Record<string, number>; problems: string[] }> {
  const mortal = new MortalRunner({ maxTeamSize: 10_000 });
  const scene = await start(await mortal.running);
  let isOver = false;
  const startedAt = performance.now();
  const results = await mortal.killDuring(Promise.allSettled(work(mortal, scene, () => isOver)), {
    kills,
    onKilled: () => {
      isOver = true;
    },
  });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const done = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const failures = results.flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []));
  const { figures, problems } = await check(await mortal.running, scene, done);
  await mortal.stop();
  const { kills: killed, repetitions } = mortal;
  return {
    figures: { kills: killed, ...figures, repetitions, seconds },
    problems: [...failures, ...problems],
  };
}

/** Look until nothing is lost, or for as long as events may be on their way. */
export async function untilComplete<Found extends { readonly lost: readonly unknown[] }>(
  look: () => Promise<Found>,
  until: number,
): Promise<Found> {
  for (;;) {
    const found = await look();
    if (found.lost.length === 0 || performance.now() > until) return found;
    await pause(500);
  }
}

/** An event as a user can read it. */
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
