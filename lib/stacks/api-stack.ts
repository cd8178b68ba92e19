import { CfnOutput, Duration, Stack, type StackProps } from "aws-cdk-lib";
import type { Code } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { families, workers } from "#functions/families.ts";
import { GatewayApi } from "../constructs/gateway-api.ts";
import { ManifestFunction, type Resources } from "../constructs/manifest-function.ts";
import { WorkerFunction } from "../constructs/worker-function.ts";
import type { Stage } from "../stage.ts";

export interface ApiStackProps extends StackProps {
  readonly stage: Stage;
  /** Bundle of the function of this name. */
  readonly codeOf: (functionName: string) => Code;
  readonly resources: Resources;
}

/** Every function, behind the two HTTP APIs or behind its queue, schedule or rotation. */
export class ApiStack extends Stack {
  readonly publicApi: GatewayApi;
  readonly internalApi: GatewayApi;
  readonly familyFunctions: readonly ManifestFunction[];
  readonly workerFunctions: readonly WorkerFunction[];

  constructor(scope: Construct, id: string, { stage, codeOf, resources, ...props }: ApiStackProps) {
    super(scope, id, props);
    this.publicApi = new GatewayApi(this, { audience: "public", stage });
    this.internalApi = new GatewayApi(this, { audience: "internal", stage });
    const shared = { stage, resources, publicUrl: stage.settings.publicUrl ?? this.publicApi.url };

    const mounted = families.map((family) => ({
      family,
      function: new ManifestFunction(this, {
        ...shared,
        manifest: family,
        code: codeOf(family.name),
        timeout: Duration.seconds(15),
      }),
    }));
    this.familyFunctions = mounted.map((one) => one.function);
    this.workerFunctions = workers.map(
      (worker) => new WorkerFunction(this, { ...shared, worker, code: codeOf(worker.name) }),
    );
    this.publicApi.mount(mounted);
    this.internalApi.mount(mounted);

    new CfnOutput(this, "PublicUrl", { value: this.publicApi.url });
    new CfnOutput(this, "InternalUrl", { value: this.internalApi.url });
  }
}
