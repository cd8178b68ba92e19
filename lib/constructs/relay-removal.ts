import { CustomResource, Duration } from "aws-cdk-lib";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Architecture, type Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { RelaysToRemove } from "../relay/remove-relays.ts";
import { removalPolicyOf } from "../removal-policy.ts";
import type { Stage } from "../stage.ts";
import type { RelayQueues } from "./relay-queues.ts";

interface RelayRemovalProps {
  readonly stage: Stage;
  readonly code: Code;
  readonly queues: RelayQueues;
  /** The table that records the relays. */
  readonly table: ITable;
}

/**
 * Deletes the queues of relays that have died when the stack is deleted. Other relays would do so, but none is left by
 * then. Resources that depend on this construct are deleted first.
 */
export class RelayRemoval extends Construct {
  constructor(scope: Construct, id: string, { stage, code, queues, table }: RelayRemovalProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, "Logs", {
      retention: stage.logRetentionDays,
      removalPolicy: removalPolicyOf(stage),
    });
    const role = new Role(this, "Role", { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    logGroup.grantWrite(role);
    role.addToPolicy(
      new PolicyStatement({
        actions: ["dynamodb:Query", "dynamodb:DeleteItem"],
        resources: [table.tableArn],
      }),
    );
    role.addToPolicy(new PolicyStatement({ actions: ["sqs:DeleteQueue"], resources: [queues.arn] }));
    const lambda = new LambdaFunction(this, "Function", {
      description: "Cleans up after relays when their stack is deleted",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: "index.handler",
      code,
      timeout: Duration.minutes(5),
      memorySize: 256,
      role,
      logGroup,
    });
    const properties: RelaysToRemove = { queues: queues.urlPrefix, table: table.tableName };
    const resource = new CustomResource(this, "Relays", {
      resourceType: "Custom::Relays",
      serviceToken: lambda.functionArn,
      properties: { ...properties },
    });
    // Otherwise CloudFormation could delete its permissions first.
    resource.node.addDependency(role, logGroup);
  }
}
