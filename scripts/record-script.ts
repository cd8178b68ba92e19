import type { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { deployedTables } from "#lib/releases/deployed-stacks.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { startRun } from "./admin/command-run.ts";
import { type ActionRecord, type RecordedAction, recordAction } from "./admin/record-action.ts";
import { tableNameIn } from "./admin/stage-data.ts";

/**
 * Record what a script is about to do with the data or the secrets of a stage.
 * @throws CommandError when it cannot be recorded: then it must not be done
 */
export async function recordScript(
  {
    cloudFormation,
    stage,
    settings,
  }: { cloudFormation: CloudFormationClient; stage: string; settings: Settings },
  action: Omit<RecordedAction, "operation">,
): Promise<ActionRecord> {
  const tables = await deployedTables(cloudFormation, stage);
  const { command } = action;
  return recordAction(
    { settings, tableName: tableNameIn({ tables }), run: startRun(command) },
    { ...action, operation: command },
  );
}
