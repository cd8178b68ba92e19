import { randomUUID } from "node:crypto";
import type { Emulators } from "#lib/local/emulators/emulators.ts";
import { systemClock } from "#shared/platform/clock.ts";
import type { SettingsInput } from "#shared/registry/settings.ts";
import { seedUser } from "../test/support/seeded-users.ts";
import { call } from "./api-client.ts";
import { newDirectory } from "./directory.ts";
import { forkStack } from "./forked-stack.ts";
import { quietMilliseconds } from "./quiet.ts";
import { median } from "./table.ts";

/** A part of a run, up to a number of users. */
export interface ProvisioningFigures {
  readonly users: number;
  readonly concurrency: number;
  /** Time until the last answer. */
  readonly answersPerSecond: number;
  /** Time until all follow-up work is done. */
  readonly usersPerSecond: number;
  /** Latency of one request. */
  readonly p50Milliseconds: number;
  /** CPU time of the process with gateway, functions and workers, per user including follow-up work. */
  readonly cpuMilliseconds: number;
  /** Memory of that process after the part. */
  readonly memoryMegabytes: number;
  /** Memory of its JavaScript objects, after a garbage collection. */
  readonly heapMegabytes: number;
  /** AWS calls per user, by their caller and action. */
  readonly awsCalls: Readonly<Record<string, number>>;
}

const prefix = "provisioning";
const parts = 5;
/** Concurrent requests of a directory, by default. */
export const usualConcurrencies = [1, 8];

/** Measure how fast a directory fills a team, and whether that gets slower as the team grows. */
export async function measureProvisioning(
  emulators: Emulators,
  users: number,
  concurrencies: readonly number[],
): Promise<ProvisioningFigures[]> {
  const figures: ProvisioningFigures[] = [];
  for (const concurrency of concurrencies) figures.push(...(await fillTeam(emulators, users, concurrency)));
  return figures;
}

async function fillTeam(
  { environment, folder }: Emulators,
  users: number,
  concurrency: number,
): Promise<ProvisioningFigures[]> {
  // The owner of the team is a member, too.
  const settings: SettingsInput = { outboxResendSeconds: 3600, maxTeamSize: Math.max(10_000, users + 1) };
  const forked = forkStack({ execArgv: [...process.execArgv, "--expose-gc"] });
  try {
    const { publicUrl } = await forked.ask({ command: "start", settings, prefix, environment, folder });
    const teamId = randomUUID();
    const stack = { prefix, settings, clock: systemClock };
    await seedUser(`${teamId}@example.com`, "correct horse battery", {}, stack, { teamId, name: "Engines" });
    const { newUserRequest } = await newDirectory(teamId, prefix);
    const figures: ProvisioningFigures[] = [];
    await forked.ask({ command: "count-calls" });
    let { cpuSeconds, awsCalls } = await forked.ask({ command: "settle" });
    for (let part = 1; part <= parts; part++) {
      const count = Math.round(users / parts);
      const milliseconds: number[] = [];
      const startedAt = performance.now();
      const create = async () => {
        while (milliseconds.length < count) {
          const place = milliseconds.push(0) - 1;
          const answer = await call(publicUrl, newUserRequest(), 201);
          milliseconds[place] = answer.milliseconds;
        }
      };
      await Promise.all(Array.from({ length: concurrency }, create));
      const answered = (performance.now() - startedAt) / 1000;
      const report = await forked.ask({ command: "settle" });
      // The wait itself took this long without any call.
      const seconds = (performance.now() - startedAt - quietMilliseconds) / 1000;
      figures.push({
        users: count * part,
        concurrency,
        answersPerSecond: count / answered,
        usersPerSecond: count / seconds,
        p50Milliseconds: median(milliseconds),
        cpuMilliseconds: ((report.cpuSeconds - cpuSeconds) * 1000) / count,
        memoryMegabytes: report.memoryMegabytes,
        heapMegabytes: report.heapMegabytes,
        awsCalls: callsPerUser(awsCalls, report.awsCalls, count),
      });
      ({ cpuSeconds, awsCalls } = report);
    }
    return figures;
  } finally {
    await forked.stop();
  }
}

function callsPerUser(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
  users: number,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after).map(([name, count]) => [name, (count - (before[name] ?? 0)) / users]),
  );
}
