// Attacks a stack for some minutes, and fails when something is wrong afterwards; see --help.
import { randomInt } from "node:crypto";
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { startEmulators } from "#lib/local/emulators/emulators.ts";
import { fuzzMls } from "./soak-fuzz-mls.ts";
import { formatTable, round } from "./table.ts";

const usage = `Send damaged MLS messages of every kind to a stack on this machine, one at a time: npm run soak -- [options]

  --count N     messages (20000)
  --seed N      repeats the damages of another run
  --help        show this text
`;

const { values } = parseArgs({
  options: { count: { type: "string" }, seed: { type: "string" }, help: { type: "boolean", default: false } },
});
if (values.help) process.stdout.write(usage);
else {
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
    const { rows, problems } = await fuzzMls(emulators, {
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
