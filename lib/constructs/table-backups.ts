import { Duration, Validations } from "aws-cdk-lib";
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from "aws-cdk-lib/aws-backup";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import { Schedule } from "aws-cdk-lib/aws-events";
import { ManagedPolicy, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { removalPolicyOf } from "../removal-policy.ts";
import type { Backups, Stage } from "../stage.ts";

interface TableBackupsProps {
  readonly stage: Stage;
  readonly backups: Backups;
  readonly tables: readonly ITable[];
  /** ARN of the vault in the second region. */
  readonly copyVaultArn: string;
}

const policy = "service-role/AWSBackupServiceRolePolicyForBackup";
/** Point-in-time recovery covers this region, so the backup is only needed until it has been copied. */
const shortestDays = 1;

/** Backups of tables by AWS Backup, which copies them to a second region. */
export class TableBackups extends Construct {
  constructor(scope: Construct, { stage, backups, tables, copyVaultArn }: TableBackupsProps) {
    super(scope, "backups");
    const { days, everyHours } = backups;
    const name = `parley-${stage.name}-backups`;
    const vault = new BackupVault(this, "vault", {
      backupVaultName: name,
      removalPolicy: removalPolicyOf(stage),
    });
    const rule = new BackupPlanRule({
      ruleName: "copied",
      scheduleExpression: Schedule.cron({ minute: "0", hour: everyHours === 24 ? "3" : `*/${everyHours}` }),
      startWindow: Duration.hours(1),
      completionWindow: Duration.hours(Math.max(everyHours, 2)),
      deleteAfter: Duration.days(shortestDays),
      copyActions: [
        {
          destinationBackupVault: BackupVault.fromBackupVaultArn(this, "copies", copyVaultArn),
          deleteAfter: Duration.days(days),
        },
      ],
    });
    const plan = new BackupPlan(this, "plan", {
      backupPlanName: name,
      backupVault: vault,
      backupPlanRules: [rule],
    });
    plan.addSelection("tables", {
      role: this.#createRole(),
      resources: tables.map(({ tableArn }) => BackupResource.fromArn(tableArn)),
    });
  }

  #createRole() {
    const role = new Role(this, "role", {
      assumedBy: new ServicePrincipal("backup.amazonaws.com"),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(policy)],
    });
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${policy}]`,
      reason:
        "AWS Backup documents no smaller set, and extends this one when its service makes new calls. No function has the role.",
    });
    return role;
  }
}
