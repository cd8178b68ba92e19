import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { graceMilliseconds } from "#shared/platform/audit/audit-record.ts";
import type { AuditedRequest } from "#shared/platform/audit/audit-scope.ts";
import { AuditRecorder } from "#shared/platform/audit/audited.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { createLog } from "#shared/platform/log.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { TableName } from "#shared/registry/tables.ts";
import { CommandError } from "./command-error.ts";
import type { CommandRun } from "./command-run.ts";

/** The audit of a command that reaches data itself: its event, or the reason why it is not recorded. */
export type Action = RecordedAction | { readonly none: string };

export interface RecordedAction extends Pick<AuditedRequest, "event" | "target" | "team"> {
  readonly command: string;
  /** Name in records; by default that of the command after `admin`. */
  readonly operation?: string;
}

/** The usual reasons why a command is not recorded. */
export const unrecorded = {
  dryRun: { none: "It changes nothing." },
  impersonal: { none: "It shows no data of anybody." },
} as const satisfies Record<string, Action>;

/** Adds records to that of a command. */
export interface ActionRecord {
  /** Record the outcome. It replaces the record of the beginning, unless that is sealed already. */
  readonly finish: (target: Readonly<Record<string, string>>) => Promise<void>;
  /** Run a part of the command whose transactions have a record of their own, with these fields besides. */
  readonly within: <Result>(
    part: Pick<AuditedRequest, "target" | "team" | "changes">,
    task: () => Result,
  ) => Result;
}

const nothing: ActionRecord = { finish: async () => undefined, within: (_, task) => task() };

/**
 * Record a command before it begins; a command that cannot be recorded does not run.
 * @throws CommandError without the right to write to the table
 */
export async function recordAction(
  {
    settings,
    tableName,
    run,
  }: {
    readonly settings: Settings;
    readonly tableName: (name: TableName) => string;
    /** The run to which this belongs. */
    readonly run?: CommandRun | undefined;
  },
  action: Action,
): Promise<ActionRecord> {
  if ("none" in action) return nothing;
  const { command, event, target, team, operation = `admin ${command}` } = action;
  const recorder = new AuditRecorder(
    {
      clock: systemClock,
      config: { tableName },
      dynamo: createDynamo(),
      log: createLog("admin", "ERROR"),
      settings,
    },
    new Set(),
  );
  const request: AuditedRequest = {
    event,
    operation,
    actor: { kind: "operator", principal: await ownArn() },
    target,
    ...(team !== undefined && { team }),
    ...(run !== undefined && { command: { ...run } }),
  };
  const stamp = recorder.stamp();
  await recorder.record(request, stamp).catch((cause: Error) => {
    throw new CommandError(
      `Nothing is done, since it cannot be recorded: ${cause.message}\n${rightTo(action)}`,
    );
  });
  return {
    finish: (more) => {
      const isOpen = systemClock() - stamp.milliseconds < graceMilliseconds / 2;
      const finished = { ...request, target: { ...target, ...more } };
      return isOpen ? recorder.record(finished, stamp) : recorder.record(finished);
    },
    within: (part, task) =>
      recorder.run({ ...request, ...part, target: { ...target, ...part.target } }, task),
  };
}

const rightTo = ({ operation }: RecordedAction) =>
  operation === undefined
    ? "npm run admin -- policy prints what the command needs"
    : "It needs the right to put items into the table audit";

/** The caller of the command; emulators know nobody. */
async function ownArn(): Promise<string> {
  if (isEmulated()) return "arn:aws:iam::000000000000:user/local";
  const { Arn = "unknown" } = await new STSClient().send(new GetCallerIdentityCommand());
  return Arn;
}

const isEmulated = () =>
  process.env.AWS_ENDPOINT_URL_DYNAMODB !== undefined && process.env.AWS_ENDPOINT_URL_STS === undefined;
