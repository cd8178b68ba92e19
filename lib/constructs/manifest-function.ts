import { parse } from "node:path";
import { type Duration, Validations } from "aws-cdk-lib";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  type Code,
  Function as LambdaFunction,
  RecursiveLoop,
  Runtime,
  Tracing,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { variables } from "#shared/platform/config.ts";
import type { FunctionAccess } from "#shared/platform/manifest.ts";
import { docsFolder, docsFunction, settingsFile, startFile } from "../bundle/bundle.ts";
import { mayRecur } from "../recursive-workers.ts";
import { removalPolicyOf } from "../removal-policy.ts";
import type { Stage } from "../stage.ts";
import { AccessGrants, type Resources } from "./manifest-access.ts";

export interface ManifestFunctionProps {
  readonly manifest: FunctionAccess & { readonly name: string; readonly summary: string };
  readonly code: Code;
  readonly timeout: Duration;
  readonly stage: Stage;
  /** Base addresses; only functions that are clients of the API get the second. */
  readonly publicUrl: string;
  readonly socketUrl: string;
  readonly resources: Resources;
}

/** Folder into which Lambda unpacks a bundle. */
const bundleRoot = "/var/task";

/** One Lambda function: its bundle, and exactly the access that its manifest asks for. */
export class ManifestFunction extends Construct {
  readonly name: string;
  readonly lambda: LambdaFunction;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, props: ManifestFunctionProps) {
    const { manifest, code, timeout, stage, publicUrl, socketUrl } = props;
    super(scope, `${manifest.name}-function`);
    this.name = manifest.name;
    this.logGroup = new LogGroup(this, "Logs", {
      retention: stage.logRetentionDays,
      removalPolicy: removalPolicyOf(stage),
    });
    const role = new Role(this, "Role", { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    this.logGroup.grantWrite(role);
    this.lambda = new LambdaFunction(this, "Function", {
      description: manifest.summary,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: `${parse(startFile).name}.handler`,
      code,
      timeout,
      memorySize: stage.memoryMegabytes,
      // A long job is a chain of messages, of which Lambda's loop detection would drop the seventeenth.
      ...(mayRecur(manifest.name) && { recursiveLoop: RecursiveLoop.ALLOW }),
      reservedConcurrentExecutions: stage.reservedConcurrency[manifest.name],
      role,
      logGroup: this.logGroup,
      tracing: stage.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      environment: {
        [variables.settingsFile]: `${bundleRoot}/${settingsFile}`,
        [variables.publicUrl]: publicUrl,
        [variables.logLevel]: stage.logLevel,
        [variables.stage]: stage.name,
        ...(manifest.isClient && { [variables.socketUrl]: socketUrl }),
        ...(manifest.name === docsFunction && { [variables.docsAssets]: `${bundleRoot}/${docsFolder}` }),
      },
    });
    if (stage.tracing) {
      Validations.of(this).acknowledge({
        id: "AwsSolutions-IAM5[Resource::*]",
        reason: "X-Ray has no resources to restrict traces to.",
      });
    }
    const { lambda } = this;
    new AccessGrants({
      scope: this,
      setVariable: (name, value) => lambda.addEnvironment(name, value),
      allow: (statement) => lambda.addToRolePolicy(statement),
    }).grant(props);
  }
}
