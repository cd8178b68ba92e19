import { Duration } from "aws-cdk-lib";
import { MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import type { StageAlarms } from "./stage-alarms.ts";

const anHour = Duration.hours(1);

/**
 * Alarms on backups and on their copies in a second region, whose absence nobody would notice before they are needed.
 */
export function watchBackups(alarms: StageAlarms): void {
  for (const [id, jobs] of Object.entries({ backups: "BackupJobs", copies: "CopyJobs" })) {
    alarms.add({
      id: `${id}-failed`,
      // Sum over all vaults and kinds of resources of the account, so that the dimensions that AWS Backup chooses do
      // not matter.
      metric: new MathExpression({
        expression: `SELECT SUM(NumberOf${jobs}Failed) FROM "AWS/Backup"`,
        usingMetrics: {},
        period: anHour,
      }),
      threshold: 1,
      description: `AWS Backup has failed to make ${id} of tables.`,
    });
  }
}
