import { parseArgs } from "node:util";
import { hasSocketApi, type SocketMode, type Stage } from "./stage.ts";

/**
 * Alarms that roll the functions back when they fire during a deployment or soon after; CloudFormation accepts five.
 * All of them also count failures that a function answers or returns itself. None is a composite alarm: CloudFormation
 * needs the type of the alarm, and the CDK's command cannot pass it.
 */
export const guardAlarms = (stage: SocketMode & Pick<Stage, "canary">): string[] => [
  "public-api-server-errors",
  hasSocketApi(stage) ? "socket-api-server-errors" : "relay-errors",
  "events-failed-items",
  "deliveries-failed-items",
  stage.canary ? "canary-failures" : "internal-api-server-errors",
];

/** Two periods of the slowest alarm. */
const monitoringMinutes = 10;

/** Name of an alarm, the same in mails, in the runbook and on the command line. */
export const alarmName = ({ name }: Pick<Stage, "name">, id: string): string => `parley-${name}-${id}`;

/** Parameters of the CDK for the steps of a guarded deployment, in order. */
export interface GuardedCommands {
  /** Deploys the stacks that functions need. */
  readonly foundation: readonly string[];
  /**
   * Deploys the functions, once for each wave; CloudFormation rolls them back when an alarm fires meanwhile or soon
   * after.
   */
  readonly wave: readonly string[];
  /** Deploys the previous version of the functions, whatever the state of the alarms. */
  readonly back: readonly string[];
  /** Deploys all stacks, which adds the remaining ones. */
  readonly everything: readonly string[];
}

/**
 * The commands by which the CDK deploys a stage with guards.
 *
 * @param assembly folder with the synthesised stacks
 * @throws Error for a stage that does not pin its account and region, since the names of alarms contain them
 */
export function guardedDeployment(
  stage: Pick<Stage, "name" | "account" | "region" | "canary" | "distribution"> & SocketMode,
  assembly: string,
): GuardedCommands {
  const { name, account, region, distribution } = stage;
  if (account === undefined || region === undefined) {
    throw new Error(
      `stages/${name}.json must set account and region, because the names of its alarms contain them`,
    );
  }
  const partition = region.startsWith("cn-") ? "aws-cn" : "aws";
  const arns = guardAlarms(stage).map(
    (id) => `arn:${partition}:cloudwatch:${region}:${account}:alarm:${alarmName(stage, id)}`,
  );
  const deploy = ["deploy", "--app", assembly];
  const functions = [...deploy, functionsStack(stage), "--exclusively"];
  const edge = distribution?.rateRules === undefined ? [] : [`parley-${name}-edge`];
  return {
    foundation: [...deploy, `parley-${name}-data`, `parley-${name}-messaging`, ...edge],
    wave: [
      ...functions,
      "--monitoring-time-minutes",
      String(monitoringMinutes),
      ...arns.flatMap((arn) => ["--rollback-trigger-alarm-arns", arn]),
    ],
    back: functions,
    everything: [...deploy, "--all"],
  };
}

/** Name of the stack that has all functions. */
export const functionsStack = ({ name }: Pick<Stage, "name">): string => `parley-${name}-api`;

/** The CDK's options that an operator has given, by the command that they are for. */
export interface SplitOptions {
  readonly synth: readonly string[];
  readonly deploy: readonly string[];
  /** Profile of the credentials, which our own calls of AWS also need. */
  readonly profile?: string;
}

/**
 * Options for the synthesis only. For stacks that are already synthesised, the CDK would ignore a context, and would
 * synthesise again if it got an app.
 */
const synthesisOptions: readonly string[] = ["app", "context"];

/** Divide options of `cdk deploy` among synthesis, which happens once, and the deployments of its output. */
export function splitOptions(options: readonly string[]): SplitOptions {
  const { tokens, values } = parseArgs({
    args: [...options],
    strict: false,
    tokens: true,
    options: {
      app: { type: "string", short: "a" },
      context: { type: "string", short: "c", multiple: true },
      profile: { type: "string" },
    },
  });
  const placesOf = (names: readonly string[]) =>
    new Set(
      tokens.flatMap((token) => {
        if (token.kind !== "option" || !names.includes(token.name)) return [];
        return token.inlineValue || token.value === undefined
          ? [token.index]
          : [token.index, token.index + 1];
      }),
    );
  const synthesis = placesOf(synthesisOptions);
  const both = placesOf(["profile"]);
  return {
    synth: options.filter((_, index) => synthesis.has(index) || both.has(index)),
    deploy: options.filter((_, index) => !synthesis.has(index)),
    ...(typeof values.profile === "string" && { profile: values.profile }),
  };
}
