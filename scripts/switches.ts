/**
 * Lists what operators have paused, pauses an operation in all functions, or resumes it. It needs AWS credentials that may
 * describe the data stack, and read and write its table `switches`.
 *
 *   npm run switches -- list          --stage NAME
 *   npm run switches -- pause  SWITCH --stage NAME [--reason TEXT]
 *   npm run switches -- resume SWITCH --stage NAME
 *
 * Instead of a stage, `--table` names the table itself. Functions follow within a minute.
 */
import { parseArgs } from "node:util";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { deployedTables } from "#lib/releases/deployed-stacks.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { createLog } from "#shared/platform/log.ts";
import { Switches } from "#shared/platform/switches.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { type SwitchName, switches } from "#shared/registry/switches.ts";

const names = Object.keys(switches) as SwitchName[];
const usage = `usage: npm run switches -- list|pause|resume [SWITCH] --stage NAME [--reason TEXT]
switches:
${names.map((name) => `  ${name.padEnd(16)}${switches[name]}`).join("\n")}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { stage: { type: "string" }, table: { type: "string" }, reason: { type: "string" } },
});
const [command = "", given, ...others] = positionals;
const name = names.find((one) => one === given);
const isComplete = command === "list" ? given === undefined : name !== undefined;
const { stage, table, reason } = values;

if (!["list", "pause", "resume"].includes(command) || !isComplete || others.length > 0) fail(usage);
else if ((stage === undefined) === (table === undefined)) fail(usage);
else
  await (table === undefined ? tableOf(stage ?? "") : Promise.resolve(table))
    .then(run)
    .catch((error: Error) => fail(`${error.name}: ${error.message}`));

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

async function tableOf(stageName: string): Promise<string> {
  const found = (await deployedTables(new CloudFormationClient(), stageName)).get("switches");
  if (found === undefined) throw new Error(`The stage ${stageName} has no switches: deploy its data stack`);
  return found;
}

async function run(tableName: string): Promise<void> {
  const store = new Switches({
    dynamo: createDynamo(),
    clock: systemClock,
    config: { tableName: () => tableName, settings: parseSettings({}) },
    log: createLog("switches", "ERROR"),
  });
  if (name === undefined) {
    const pauses = await store.list(names);
    for (const { switch: paused, pausedAt, reason: why } of pauses)
      console.log(JSON.stringify({ switch: paused, pausedAt, reason: why }));
    if (pauses.length === 0) console.log("Nothing is paused.");
  } else if (command === "pause") {
    await store.pause(name, reason);
    console.log(`Within a minute, this is refused: ${switches[name]}.`);
  } else {
    await store.resume(name);
    console.log(`Within a minute, this is possible again: ${switches[name]}.`);
  }
}
