import { type App, Aws, Stack, type StackProps } from "aws-cdk-lib";
import { BackupVault } from "aws-cdk-lib/aws-backup";
import type { Construct } from "constructs";
import { type BucketName, buckets } from "#shared/registry/buckets.ts";
import { BucketCopy } from "../constructs/bucket-copy.ts";
import { removalPolicyOf } from "../removal-policy.ts";
import type { Backups, Stage } from "../stage.ts";

interface CopiesStackProps extends StackProps {
  readonly stage: Stage;
  readonly backups: Backups;
}

/** The copies of a stage in a second region: of the backups of its tables, and of its objects. */
export class CopiesStack extends Stack {
  /** Names for stacks in other regions: references do not work across regions, so the names are fixed in advance. */
  readonly vaultArn: string;
  readonly bucketNames: Readonly<Record<BucketName, string>>;

  constructor(scope: Construct, id: string, { stage, backups, ...props }: CopiesStackProps) {
    super(scope, id, props);
    const backupVaultName = `parley-${stage.name}-copies`;
    new BackupVault(this, "vault", {
      backupVaultName,
      // A copy is only deleted when its time is over: not by mistake, and not with stolen credentials.
      blockRecoveryPointDeletion: stage.isProtected,
      removalPolicy: removalPolicyOf(stage),
    });
    const account = stage.account ?? Aws.ACCOUNT_ID;
    this.vaultArn = `arn:${Aws.PARTITION}:backup:${backups.region}:${account}:backup-vault:${backupVaultName}`;
    this.bucketNames = Object.fromEntries(
      Object.keys(buckets).map((key) => {
        const name = key as BucketName;
        const bucketName = `parley-${stage.name}-${name}-copy-${account}-${backups.region}`;
        new BucketCopy(this, { name, bucketName, stage });
        return [name, bucketName];
      }),
    ) as Record<BucketName, string>;
  }
}

/** The stack of a stage's copies, if it asks for any. */
export function createCopies(
  app: App,
  id: string,
  { stage, terminationProtection }: { readonly stage: Stage; readonly terminationProtection: boolean },
): CopiesStack | undefined {
  const { account, backups } = stage;
  if (backups === undefined) return undefined;
  const env = { account, region: backups.region };
  return new CopiesStack(app, id, { stage, backups, env, terminationProtection });
}
