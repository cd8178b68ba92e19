import { CfnOutput, SecretValue, Stack, type StackProps, Validations } from "aws-cdk-lib";
import { type ITable, Table } from "aws-cdk-lib/aws-dynamodb";
import { Secret, type SecretProps } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { type BucketName, buckets } from "#shared/registry/buckets.ts";
import { type SecretName, secrets } from "#shared/registry/secrets.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";
import { EntityTable } from "../constructs/entity-table.ts";
import { ObjectBucket } from "../constructs/object-bucket.ts";
import { TableBackups } from "../constructs/table-backups.ts";
import { removalPolicyOf } from "../removal-policy.ts";
import type { Stage } from "../stage.ts";
import { tablePlans } from "../table-plans.ts";
import type { CopiesStack } from "./copies-stack.ts";

interface DataStackProps extends StackProps {
  readonly stage: Stage;
  /** The copies of it in a second region. */
  readonly copies: CopiesStack | undefined;
}

interface SecretPlan {
  readonly initial: Pick<SecretProps, "generateSecretString" | "secretStringValue">;
  /** The reason why nothing in this stack rotates it. */
  readonly withoutRotation: string;
  /**
   * Whether stored data or issued tokens are worthless without it. Such a secret is copied to the second region, if the
   * stage has one.
   */
  readonly isReplicated?: true;
}

/** A rotation, or the operator, replaces it; later deployments leave the value alone. */
const noKeys = { secretStringValue: SecretValue.unsafePlainText('{"keys":[]}') };

/** Placeholder until the operator puts in a value. */
const nothingYet = { secretStringValue: SecretValue.unsafePlainText("{}") };

const randomText = { generateSecretString: { passwordLength: 64, excludePunctuation: true } };

const secretPlans: Record<SecretName, SecretPlan> = {
  "signing-keys": {
    initial: noKeys,
    withoutRotation: "Rotated by a schedule in the stack of the rotating function.",
    isReplicated: true,
  },
  "verification-keys": {
    initial: noKeys,
    withoutRotation: "Public keys, written together with the signing keys whenever those rotate.",
    isReplicated: true,
  },
  "code-key": {
    initial: randomText,
    withoutRotation:
      "A new key would invalidate every pending code; codes are short-lived and stored nowhere.",
  },
  "invitation-key": {
    initial: randomText,
    withoutRotation: "Codes are derived again when shown; with a new key, they would differ.",
    isReplicated: true,
  },
  "guest-link-key": {
    initial: randomText,
    withoutRotation: "A new key would invalidate every guest link.",
    isReplicated: true,
  },
  "webhook-key": {
    initial: randomText,
    withoutRotation: "Receivers know the secrets that are derived from it; each webhook rotates its own.",
    isReplicated: true,
  },
  "turn-secret": {
    initial: randomText,
    withoutRotation: "The TURN servers are configured with the same value; the operator changes both.",
  },
  "sft-secret": {
    initial: randomText,
    withoutRotation: "The SFT servers are configured with the same value; the operator changes both.",
  },
  "mls-removal-seed": {
    initial: randomText,
    withoutRotation: "MLS groups name the public keys derived from it for as long as they exist.",
    isReplicated: true,
  },
  "dpop-key": {
    initial: noKeys,
    withoutRotation: "The certificate authority of the operator trusts the key; the operator changes both.",
  },
  canary: {
    initial: nothingYet,
    withoutRotation: "The account changes with it: the command that creates one replaces both.",
  },
};

/** Data that must outlive everything else: one table and one bucket per row of their registries, and the secrets. */
export class DataStack extends Stack {
  readonly tables: Readonly<Record<TableName, ITable>>;
  readonly buckets: Readonly<Record<BucketName, ObjectBucket>>;
  readonly secrets: Readonly<Record<SecretName, Secret>>;

  constructor(scope: Construct, id: string, { stage, copies, ...props }: DataStackProps) {
    super(scope, id, props);
    this.tables = Object.fromEntries(
      Object.keys(tables).map((name) => [name, this.#createTable(name as TableName, stage)]),
    ) as Record<TableName, ITable>;
    this.buckets = Object.fromEntries(
      Object.keys(buckets).map((name) => [name, this.#createBucket(name as BucketName, { stage, copies })]),
    ) as Record<BucketName, ObjectBucket>;
    this.secrets = Object.fromEntries(
      Object.keys(secrets).map((name) => [name, this.#createSecret(name as SecretName, stage)]),
    ) as Record<SecretName, Secret>;
    const { backups } = stage;
    if (backups === undefined || copies === undefined) return;
    new TableBackups(this, {
      stage,
      backups,
      tables: this.#lastingTables(),
      copyVaultArn: copies.vaultArn,
    });
  }

  /** Tables that a restore in the second region needs; the others start empty there. */
  #lastingTables(): ITable[] {
    return Object.entries(this.tables)
      .filter(([name]) => tablePlans[name as TableName] !== "empty")
      .map(([, table]) => table);
  }

  #createBucket(name: BucketName, { stage, copies }: Pick<DataStackProps, "stage" | "copies">) {
    return new ObjectBucket(this, { name, stage, copyName: copies?.bucketNames[name] });
  }

  /** A table that a restored one replaces stays in the stack, with its data. */
  #createTable(name: TableName, stage: Stage): ITable {
    const own = new EntityTable(this, { name, stage });
    const restored = stage.restoredTables[name];
    const table = restored === undefined ? own : Table.fromTableName(this, `${name}-restored`, restored);
    new CfnOutput(this, `${name}-table-name`, { value: table.tableName });
    return table;
  }

  #createSecret(name: SecretName, stage: Stage) {
    const { replicaRegion } = stage;
    const { initial, withoutRotation, isReplicated } = secretPlans[name];
    const secret = new Secret(this, `${name}-secret`, {
      ...initial,
      ...(isReplicated && replicaRegion !== undefined && { replicaRegions: [{ region: replicaRegion }] }),
      description: secrets[name].description,
      removalPolicy: removalPolicyOf(stage),
    });
    Validations.of(secret).acknowledge({ id: "AwsSolutions-SMG4", reason: withoutRotation });
    return secret;
  }
}
