import type { Emulators } from "#lib/local/emulators/emulators.ts";
import { outcome } from "../test/support/api.ts";
import { newMlsClient } from "../test/support/mls.ts";
import { type Attack, newAttacks } from "../test/support/mls-attacks.ts";
import { mutate, newMutations } from "../test/support/mls-mutations.ts";
import { forkStack } from "./forked-stack.ts";
import { mlsSettings, newMlsPeople } from "./mls-people.ts";
import { percentile, type Row, round } from "./table.ts";

/** The findings of a soak: its figures, and problems. */
export interface SoakResult {
  readonly rows: readonly Row[];
  readonly problems: readonly string[];
}

/** Options of a soak. */
export interface SoakOptions {
  readonly seed: number;
  readonly count?: number | undefined;
}

const prefix = "fuzz";
const defaultCount = 20_000;
const slowMilliseconds = 1000;
/** Attempts before a request counts as slow, since other processes may use this machine. */
const maxAttempts = 3;
/** Memory that may stay in use: for code that is compiled late, connections, and caches filled by events of groups. */
const maxGrownMegabytes = 150;
/** Requests before memory is first measured. */
const warmUps = 1000;

/** Send damaged messages to groups, one at a time: none may fail, take long, or leave memory in use. */
export async function fuzzMls(
  { environment, folder }: Emulators,
  { seed, count = defaultCount }: SoakOptions,
): Promise<SoakResult> {
  const forked = forkStack({ execArgv: [...process.execArgv, "--expose-gc"] });
  try {
    const settings = mlsSettings;
    const { publicUrl } = await forked.ask({ command: "start", settings, prefix, environment, folder });
    await forked.ask({ command: "count-calls" });
    const people = await newMlsPeople(4, { publicUrl, prefix });
    const [admin, bob, cleo, guest] = people.devices;
    if (!admin || !bob || !cleo || !guest) throw new Error("Devices are missing");
    const further = await newMlsClient(admin.user, { publicApi: people.publicApi, prefix, packages: 0 });
    const begin = async (): Promise<Attack[]> => {
      const { id } = await people.newGroup();
      return newAttacks(id, { admin, members: [bob, cleo], guest, further });
    };
    let attacks = await begin();
    const problems: string[] = [];
    const times: number[] = [];
    const outcomes = new Map<string, Map<string, number>>();
    let before: Awaited<ReturnType<typeof forked.ask>> | undefined;
    for (const [number, mutation] of newMutations(seed, count).entries()) {
      if (number === Math.min(warmUps, count - 1)) before = await forked.ask({ command: "settle" });
      const attack = attacks[number % attacks.length] as Attack;
      const bytes = mutate(attack, mutation, attacks);
      const { answer, milliseconds } = await sendTimed(attack, bytes);
      times.push(milliseconds);
      const ofAttack = outcomes.get(attack.name) ?? new Map<string, number>();
      outcomes.set(attack.name, ofAttack.set(outcome(answer), (ofAttack.get(outcome(answer)) ?? 0) + 1));
      const about = `Mutation ${number}: ${attack.name}, ${JSON.stringify(mutation)}`;
      if (answer.status >= 500) problems.push(`${about}: ${outcome(answer)}`);
      if (milliseconds > slowMilliseconds) problems.push(`${about}: ${Math.round(milliseconds)} ms`);
      // An accepted message begins an epoch, or must be in the next commit. Without a new group, everything else would
      // be refused for that reason.
      if (answer.status === 201 && attack.name !== "text") attacks = await begin();
    }
    const after = await forked.ask({ command: "settle" });
    const grown = after.heapMegabytes - (before?.heapMegabytes ?? 0);
    const grownInAll = after.memoryMegabytes - (before?.memoryMegabytes ?? 0);
    if (Math.max(grown, grownInAll) > maxGrownMegabytes)
      problems.push(`Memory has grown by ${round(grown)} MB of heap, ${round(grownInAll)} MB in all`);
    console.log(
      `Answers in ${round(percentile(times, 0.5))} ms (p50), ${round(percentile(times, 0.99))} ms (p99), ` +
        `${round(Math.max(...times))} ms at most; memory ${round(before?.memoryMegabytes ?? 0, 0)} MB after ${warmUps} ` +
        `requests, ${round(after.memoryMegabytes, 0)} MB in the end; heap ${round(before?.heapMegabytes ?? 0, 0)} and ` +
        `${round(after.heapMegabytes, 0)} MB`,
    );
    return { rows: toRows(outcomes), problems };
  } finally {
    await forked.stop();
  }
}

async function sendTimed({ client, path }: Attack, bytes: Buffer) {
  for (let attempt = 1; ; attempt++) {
    const startedAt = performance.now();
    const answer = await client.post(path, bytes);
    const milliseconds = performance.now() - startedAt;
    if (milliseconds <= slowMilliseconds || attempt === maxAttempts) return { answer, milliseconds };
  }
}

function toRows(outcomes: ReadonlyMap<string, ReadonlyMap<string, number>>): Row[] {
  const labels = [...new Set([...outcomes.values()].flatMap((counts) => [...counts.keys()]))].toSorted();
  return [...outcomes].map(([name, counts]) => ({
    message: name,
    ...Object.fromEntries(labels.map((label) => [label, counts.get(label) ?? 0])),
  }));
}
