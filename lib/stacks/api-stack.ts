import { CfnOutput, Duration, Stack, type StackProps } from "aws-cdk-lib";
import type { Code } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { workers } from "#functions/families.ts";
import type { Family } from "#shared/platform/manifest.ts";
import { EdgeDistribution } from "../constructs/edge-distribution.ts";
import { GatewayApi, type MountedFamily } from "../constructs/gateway-api.ts";
import { ManifestFunction, type Resources } from "../constructs/manifest-function.ts";
import { SocketApi } from "../constructs/socket-api.ts";
import { WorkerFunction } from "../constructs/worker-function.ts";
import type { Stage } from "../stage.ts";

export interface ApiStackProps extends StackProps {
  readonly stage: Stage;
  readonly families: readonly Family[];
  /** Bundle of the function of this name. */
  readonly codeOf: (functionName: string) => Code;
  readonly resources: Omit<Resources, "socketApi">;
}

interface Entrance {
  readonly url: string;
  readonly socketUrl: string;
  readonly entranceSecret?: string;
}

/** Every function, the APIs and all other triggers; the routes of the HTTP APIs are in stacks of their own. */
export class ApiStack extends Stack {
  readonly publicApi: GatewayApi;
  readonly internalApi: GatewayApi;
  readonly socketApi: SocketApi;
  /** Each family with its function. */
  readonly mounted: readonly MountedFamily[];
  readonly workerFunctions: readonly WorkerFunction[];

  constructor(scope: Construct, id: string, { stage, families, codeOf, resources, ...props }: ApiStackProps) {
    super(scope, id, props);
    this.publicApi = new GatewayApi(this, { audience: "public", stage });
    this.internalApi = new GatewayApi(this, { audience: "internal", stage });
    this.socketApi = new SocketApi(this, { stage });
    const entrance = this.#createEntrance(stage);
    const shared = {
      stage,
      resources: { ...resources, socketApi: this.socketApi },
      publicUrl: stage.settings.publicUrl ?? entrance.url,
    };

    this.mounted = families.map((family) => ({
      family,
      function: new ManifestFunction(this, {
        ...shared,
        entranceSecret: entrance.entranceSecret,
        manifest: family,
        code: codeOf(family.name),
        timeout: Duration.seconds(15),
      }),
    }));
    this.workerFunctions = workers.map(
      (worker) =>
        new WorkerFunction(this, {
          ...shared,
          entranceSecret: "sockets" in worker.trigger ? entrance.entranceSecret : undefined,
          worker,
          code: codeOf(worker.name),
        }),
    );

    new CfnOutput(this, "PublicUrl", { value: entrance.url });
    new CfnOutput(this, "InternalUrl", { value: this.internalApi.url });
    new CfnOutput(this, "SocketUrl", { value: entrance.socketUrl });
  }

  /** Addresses that clients use: the distribution's, or without one those of the APIs. */
  #createEntrance({ distribution, settings }: Stage): Entrance {
    const { publicApi, socketApi } = this;
    const { corsAllowedOrigins } = settings;
    const aliases = Object.keys(settings.saml.serviceProvidersByHost ?? {});
    return distribution === undefined
      ? { url: publicApi.url, socketUrl: socketApi.url }
      : new EdgeDistribution(this, { distribution, aliases, corsAllowedOrigins, publicApi, socketApi });
  }
}
