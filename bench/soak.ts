// Attacks or loads a stack for some minutes, and fails when something is wrong afterwards; see --help.
import { randomInt } from "node:crypto";
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Emulators, startEmulators } from "#lib/local/emulators/emulators.ts";
import { followChains } from "./soak-chains.ts";
import { fuzzMls, type SoakResult } from "./soak-fuzz-mls.ts";
import { formatTable, round } from "./table.ts";

const usage = `Attack or load a stack on this machine: npm run soak -- [PART] [options]

  mls             sends damaged MLS messages of every kind, one at a time (default)
  chains          begins what takes long chains of messages, which must end as on Lambda: without dead letters

  --count N       messages (20000)
  --seed N        repeats the damages of another run
  --members N     of a large team (5000)
  --users N       in all (50000)
  --deliveries N  to a slow webhook (200)
  --help          show this text
`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string" },
    seed: { type: "string" },
    members: { type: "string", default: "5000" },
    users: { type: "string", default: "50000" },
    deliveries: { type: "string", default: "200" },
    help: { type: "boolean", default: false },
  },
});

async function soakMls(emulators: Emulators): Promise<SoakResult> {
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  console.log(`Seed ${seed}`);
  return fuzzMls(emulators, { seed, count: values.count === undefined ? undefined : Number(values.count) });
}

const soakChains = (emulators: Emulators): Promise<SoakResult> =>
  followChains(emulators, {
    members: Number(values.members),
    users: Number(values.users),
    deliveries: Number(values.deliveries),
  });

const parts = new Map([
  ["mls", soakMls],
  ["chains", soakChains],
]);
const soak = parts.get(positionals[0] ?? "mls");
if (values.help || soak === undefined) {
  process.stdout.write(usage);
  if (!values.help) process.exitCode = 1;
} else {
  process.env.LOG_LEVEL = "CRITICAL";
  const startedAt = performance.now();
  const emulators = await startEmulators();
  process.on("exit", () => rmSync(emulators.folder, { recursive: true, force: true, maxRetries: 5 }));
  // The processes of its stacks and emulators end with this process.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
  Object.assign(process.env, emulators.environment);
  try {
    const { rows, problems } = await soak(emulators);
    console.log(formatTable(rows));
    for (const problem of problems) console.error(problem);
    if (problems.length > 0) process.exitCode = 1;
    console.log(`${problems.length} problems, ${round((performance.now() - startedAt) / 1000, 0)} s`);
  } finally {
    await emulators.stop();
  }
}
