import { Stack } from "aws-cdk-lib";
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from "aws-cdk-lib/aws-dynamodb";
import type { Construct } from "constructs";
import { type TableName, type TableSpec, tables } from "#shared/registry/tables.ts";
import { removalPolicyOf } from "../removal-policy.ts";
import { type Stage, tableMaximaOf } from "../stage.ts";

interface EntityTableProps {
  readonly name: TableName;
  readonly stage: Stage;
}

/** One row of the table registry: on demand, encrypted, recoverable to any second of the last 35 days. */
export class EntityTable extends Table {
  constructor(scope: Construct, { name, stage }: EntityTableProps) {
    const spec: TableSpec = tables[name];
    const { readUnits, writeUnits } = tableMaximaOf(stage, name);
    const maxima = { maxReadRequestUnits: readUnits, maxWriteRequestUnits: writeUnits };
    super(scope, `${name}-table`, {
      partitionKey: stringKey(spec.partitionKey),
      sortKey: spec.sortKey === undefined ? undefined : stringKey(spec.sortKey),
      timeToLiveAttribute: spec.timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST,
      ...maxima,
      encryption: stage.tableKey === "managed" ? TableEncryption.AWS_MANAGED : TableEncryption.DEFAULT,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // Not protected while its stack is created, so that a failed creation can delete it.
      deletionProtection: Stack.of(scope).terminationProtection,
      removalPolicy: removalPolicyOf(stage),
    });
    if (spec.index === undefined) return;
    this.addGlobalSecondaryIndex({
      indexName: spec.index.name,
      partitionKey: stringKey(spec.index.partitionKey),
      sortKey: stringKey(spec.index.sortKey),
      projectionType: ProjectionType.KEYS_ONLY,
      ...maxima,
    });
  }
}

const stringKey = (name: string) => ({ name, type: AttributeType.STRING });
