import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { createLog } from "#shared/platform/log.ts";
import { Switches } from "#shared/platform/switches.ts";
import { type SwitchName, switches } from "#shared/registry/switches.ts";
import { type Argument, type Context, defineCommand } from "./command.ts";
import { type Action, unrecorded } from "./record-action.ts";
import { findStageData, stageDataOptions, tableNameIn } from "./stage-data.ts";

const names = Object.keys(switches) as SwitchName[];

const switchArgument = {
  kind: "choice",
  description: names.map((name) => `${name} (${switches[name]})`).join(", "),
  choices: names,
} as const satisfies Argument;

async function switchesOf(...where: Parameters<typeof findStageData>): Promise<Switches> {
  const data = await findStageData(...where);
  return new Switches({
    dynamo: createDynamo(),
    clock: systemClock,
    config: { tableName: tableNameIn(data), settings: data.settings },
    log: createLog("switches", "ERROR"),
  });
}

const changeOf = (command: string, { isDryRun }: Pick<Context, "isDryRun">, name: SwitchName): Action =>
  isDryRun ? unrecorded.dryRun : { command, event: "switch.changed", target: { switch: name } };

export const switchesList = defineCommand({
  name: "switches list",
  summary: "List what operators have paused, since when and why",
  examples: ["switches list --stage prod"],
  effect: "reads",
  options: stageDataOptions,
  run: async (context, values) => (await switchesOf(context, values, unrecorded.impersonal)).list(names),
});

export const switchesPause = defineCommand({
  name: "switches pause",
  summary: "Make all functions refuse an operation; takes effect within a minute",
  examples: ['switches pause uploads --reason "disk full" --stage prod'],
  effect: "changes",
  arguments: { switch: switchArgument },
  options: {
    ...stageDataOptions,
    reason: { kind: "text", description: "the reason, shown in the list" },
  },
  async run(context, values) {
    const name = values.switch;
    const store = await switchesOf(context, values, changeOf("switches pause", context, name));
    if (!context.isDryRun) await store.pause(name, values.reason);
    return { switch: name, refused_within_a_minute: switches[name] };
  },
});

export const switchesResume = defineCommand({
  name: "switches resume",
  summary: "Let all functions do an operation again; takes effect within a minute",
  examples: ["switches resume uploads --stage prod"],
  effect: "changes",
  arguments: { switch: switchArgument },
  options: stageDataOptions,
  async run(context, values) {
    const name = values.switch;
    const store = await switchesOf(context, values, changeOf("switches resume", context, name));
    if (!context.isDryRun) await store.resume(name);
    return { switch: name, possible_within_a_minute: switches[name] };
  },
});
