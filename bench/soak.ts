// Attacks and breaks a stack for some minutes, and fails when something is wrong afterwards; see --help.
import { randomInt } from "node:crypto";
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { startEmulators } from "#lib/local/emulators/emulators.ts";
import { breakMls } from "./soak-break-mls.ts";
import { fuzzMls } from "./soak-fuzz-mls.ts";
import { formatTable, round } from "./table.ts";

const usage = `Attack and break a stack on this machine: npm run soak -- PART [options]

  fuzz-mls      sends damaged MLS messages of every kind, one at a time
  break-mls     lets devices commit to MLS groups while AWS calls fail and processes are killed

  --count N     messages, or commits (20000, 1000)
  --seed N      repeats the damages of another run
  --help        show this text
`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { count: { type: "string" }, seed: { type: "string" }, help: { type: "boolean", default: false } },
});
const [part] = positionals;
const soaks = { "fuzz-mls": fuzzMls, "break-mls": breakMls };
const soak = soaks[part as keyof typeof soaks];
if (values.help || soak === undefined) {
  process.stdout.write(usage);
  process.exitCode = values.help ? 0 : 1;
} else {
  process.env.LOG_LEVEL = "CRITICAL";
  const startedAt = performance.now();
  const emulators = await startEmulators();
  process.on("exit", () => rmSync(emulators.folder, { recursive: true, force: true, maxRetries: 5 }));
  // The processes of its stacks and emulators end with it.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
  Object.assign(process.env, emulators.environment);
  try {
    const seed = Number(values.seed ?? randomInt(2 ** 31));
    console.log(`Seed ${seed}`);
    const { rows, problems } = await soak(emulators, {
      seed,
      count: values.count === undefined ? undefined : Number(values.count),
    });
    console.log(formatTable(rows));
    for (const problem of problems) console.error(problem);
    if (problems.length > 0) process.exitCode = 1;
    console.log(`${problems.length} problems, ${round((performance.now() - startedAt) / 1000, 0)} s`);
  } finally {
    await emulators.stop();
  }
}
