import { hasSocketApi, type SocketMode, type Stage } from "./stage.ts";

/** Alarms that roll the functions back when they fire during a deployment or soon after; CloudFormation takes five. */
export const guardAlarms = (stage: SocketMode & Pick<Stage, "canary">): string[] => [
  "public-api-server-errors",
  "internal-api-server-errors",
  hasSocketApi(stage) ? "websocket-errors" : "relay-errors",
  stage.canary ? "canary-failures" : "fan-out-errors",
  "delivery-errors",
];

/** Two periods of the slowest of these alarms. */
const monitoringMinutes = 10;

/** Name of an alarm, the same in mails, in the runbook and on the command line. */
export const alarmName = ({ name }: Pick<Stage, "name">, id: string): string => `parley-${name}-${id}`;

/**
 * The CDK commands that deploy a stage, in order: first what functions need, then the functions, which CloudFormation
 * rolls back when an alarm fires, then the rest.
 *
 * @throws Error for a stage that does not pin its account and region, which alarms are named by
 */
export function guardedDeployment(
  stage: Pick<Stage, "name" | "account" | "region" | "canary"> & SocketMode,
): string[][] {
  const { name, account, region } = stage;
  if (account === undefined || region === undefined) {
    throw new Error(
      `stages/${name}.json must have account and region, which the names of its alarms contain`,
    );
  }
  const partition = region.startsWith("cn-") ? "aws-cn" : "aws";
  const arns = guardAlarms(stage).map(
    (id) => `arn:${partition}:cloudwatch:${region}:${account}:alarm:${alarmName(stage, id)}`,
  );
  const deploy = ["deploy", "-c", `stage=${name}`];
  return [
    [...deploy, `parley-${name}-data`, `parley-${name}-messaging`],
    [
      ...deploy,
      `parley-${name}-api`,
      "--exclusively",
      "--monitoring-time-minutes",
      String(monitoringMinutes),
      ...arns.flatMap((arn) => ["--rollback-trigger-alarm-arns", arn]),
    ],
    [...deploy, "--all"],
  ];
}
