import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Emulators } from "#lib/local/emulators/emulators.ts";
import { startStack } from "#lib/local/stack.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { parseSettings, type SettingsInput } from "#shared/registry/settings.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import { addCrowd } from "../test/support/crowds.ts";
import { seedUser } from "../test/support/seeded-users.ts";
import { type BenchRequest, call } from "./api-client.ts";
import { forkStack } from "./forked-stack.ts";
import { type AwsCall, type Recording, startProxies, sumOf, untilQuiet } from "./recording-proxy.ts";
import { median } from "./table.ts";
import { traceCauses } from "./trace-causes.ts";

export interface TeamFigures extends Times, Counts {
  readonly operation: string;
  readonly members: number;
}

interface Times {
  /** Median. */
  readonly milliseconds: number;
  /** CPU time of the process with the stack, per request including follow-up work. */
  readonly cpuMilliseconds: number;
  /** As sent. */
  readonly bytes: number;
}

interface Counts {
  readonly dynamodbCalls: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Units caused by queues, after the response. */
  readonly later: { readonly readUnits: number; readonly writeUnits: number };
}

interface Team {
  readonly size: number;
  readonly id: string;
  readonly owner: Awaited<ReturnType<typeof seedUser>>;
  /** Members who are no longer needed. */
  readonly memberIds: string[];
}

const teamSizes = [10, 10_000];
const prefix = "teams";
const password = "correct horse battery";
const timedRequests = 3;

/** Cheap hashes and no limits: this measures the cost of members, not of passwords. */
const settings: SettingsInput = {
  setPasswordHashingOptions: { algorithm: "scrypt", logCost: 10, parallelism: 1 },
  setPasswordHashingRateLimit: { perUser: { burst: 1, refillSeconds: 0 } },
  outboxResendSeconds: 3600,
};

type Make = (team: Team) => BenchRequest & { readonly expectedStatus: number };

const list = (team: Team, path: string, headers = {}) => ({
  method: "GET",
  path: `/teams/${team.id}/members${path}`,
  headers: { authorization: `Bearer ${team.owner.token}`, ...headers },
  expectedStatus: 200,
});

const operations: Readonly<Record<string, Make>> = {
  "GET a member": (team) => list(team, `/${team.memberIds[0]}`),
  "GET a page of up to 2000": (team) => list(team, "?maxResults=2000"),
  "GET as CSV": (team) => list(team, "/csv", { "accept-encoding": "identity" }),
  "GET as CSV, gzip": (team) => list(team, "/csv", { "accept-encoding": "gzip" }),
  "PUT permissions": (team) => ({
    ...list(team, ""),
    method: "PUT",
    json: { member: { user: team.memberIds[0], permissions: { self: 1025, copy: 1025 } } },
  }),
  "DELETE a member": (team) => ({
    ...list(team, `/${team.memberIds.pop()}`),
    method: "DELETE",
    json: { password },
    expectedStatus: 202,
  }),
};

/** Measure the cost of members in a small team, and in one of the maximum size. */
export async function measureTeams(
  emulators: Emulators,
): Promise<{ buildSeconds: number; deletionSeconds: number; operations: TeamFigures[] }> {
  const forked = forkStack();
  const { environment, folder } = emulators;
  let teams: Team[];
  let buildSeconds: number;
  const times = new Map<string, Times>();
  try {
    const { publicUrl } = await forked.ask({ command: "start", settings, prefix, environment, folder });
    const startedAt = performance.now();
    teams = await Promise.all(teamSizes.map(newTeam));
    buildSeconds = (performance.now() - startedAt) / 1000;
    for (const { team, operation, make } of measurements(teams))
      times.set(nameOf(team, operation), await takeTimes(forked, publicUrl, () => make(team)));
  } finally {
    await forked.stop();
  }
  const counts = await countCalls(emulators, teams);
  const figures = measurements(teams).map(({ team, operation }) => ({
    operation,
    members: team.size,
    ...(times.get(nameOf(team, operation)) as Times),
    ...(counts.get(nameOf(team, operation)) as Counts),
  }));
  const deletionSeconds = await timeDeletion(emulators, teams.at(-1) as Team);
  return { buildSeconds, deletionSeconds, operations: figures };
}

/** Seconds from the request until nothing but the team's tombstone is left; members' data is erased later. */
async function timeDeletion({ environment, folder }: Emulators, { id, owner }: Team): Promise<number> {
  const config = { tableName: (name: string) => `${prefix}-${name}`, settings: parseSettings(settings) };
  const store = new TeamStore({ dynamo: createDynamo(), config, clock: systemClock });
  const forked = forkStack();
  try {
    const { publicUrl } = await forked.ask({ command: "start", settings, prefix, environment, folder });
    const startedAt = performance.now();
    const headers = { authorization: `Bearer ${owner.token}` };
    await call(publicUrl, { method: "DELETE", path: `/teams/${id}`, headers, json: { password } }, 202);
    while ((await store.get(id))?.status !== "deleted") await delay(500);
    return (performance.now() - startedAt) / 1000;
  } finally {
    await forked.stop();
  }
}

const measurements = (teams: readonly Team[]) =>
  Object.entries(operations).flatMap(([operation, make]) => teams.map((team) => ({ team, operation, make })));

const nameOf = ({ size }: Team, operation: string) => `${operation} of ${size}`;

async function newTeam(size: number): Promise<Team> {
  const id = randomUUID();
  const stack = { prefix, settings, clock: systemClock };
  const owner = await seedUser(`${id}@example.com`, password, {}, stack, { teamId: id, name: "Engines" });
  return { size, id, owner, memberIds: await addCrowd({ id, owner }, { size: size - 1 }, prefix) };
}

async function takeTimes(
  forked: ReturnType<typeof forkStack>,
  publicUrl: string,
  make: () => ReturnType<Make>,
): Promise<Times> {
  const milliseconds: number[] = [];
  let bytes = 0;
  let before = 0;
  for (let sent = 0; sent <= timedRequests; sent++) {
    const { expectedStatus, ...request } = make();
    const answer = await call(publicUrl, request, expectedStatus);
    bytes = Number(answer.headers.get("content-length"));
    // The first request warms up.
    if (sent === 0) before = (await forked.ask({ command: "report" })).cpuSeconds;
    else milliseconds.push(answer.milliseconds);
  }
  const { cpuSeconds } = await forked.ask({ command: "report" });
  return {
    milliseconds: median(milliseconds),
    cpuMilliseconds: ((cpuSeconds - before) * 1000) / timedRequests,
    bytes,
  };
}

/** Counted with a second stack on the same data, whose calls all pass a recording proxy. */
async function countCalls(emulators: Emulators, teams: readonly Team[]): Promise<Map<string, Counts>> {
  traceCauses();
  const recording: Recording = { calls: [], pending: 0, delayMilliseconds: 0 };
  const proxies = await startProxies(emulators.environment, recording);
  const { environment } = proxies;
  Object.assign(process.env, environment);
  const stack = await startStack({
    settings,
    prefix,
    emulators: { environment, folder: emulators.folder },
  });
  try {
    const counts = new Map<string, Counts>();
    for (const { team, operation, make } of measurements(teams)) {
      await untilQuiet(recording);
      recording.calls.length = 0;
      const { expectedStatus, ...request } = make(team);
      const { cause } = await call(stack.publicUrl, request, expectedStatus);
      await untilQuiet(recording);
      const calls = recording.calls.filter(({ service }: AwsCall) => service === "DYNAMODB");
      const own = calls.filter((recorded) => recorded.cause === cause);
      const later = calls.filter((recorded) => recorded.cause === undefined);
      counts.set(nameOf(team, operation), {
        dynamodbCalls: own.length,
        readUnits: sumOf(own, "readUnits"),
        writeUnits: sumOf(own, "writeUnits"),
        later: { readUnits: sumOf(later, "readUnits"), writeUnits: sumOf(later, "writeUnits") },
      });
    }
    return counts;
  } finally {
    await stack.stop();
    await proxies.stop();
    Object.assign(process.env, emulators.environment);
  }
}
