import type { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { deployedTables } from "#lib/releases/deployed-stacks.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { startRun } from "./admin/command-run.ts";
import { type ActionRecord, type RecordedAction, recordAction } from "./admin/record-action.ts";
import { tableNameIn } from "./admin/stage-data.ts";

/**
 * Record an action of a script on the data or secrets of a stage before it happens.
 * @throws CommandError when it cannot be recorded; then it must not happen
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
