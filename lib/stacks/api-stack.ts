import { CfnOutput, Duration, Stack, type StackProps } from "aws-cdk-lib";
import type { Code } from "aws-cdk-lib/aws-lambda";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import type { Family, Worker } from "#shared/platform/manifest.ts";
import { EdgeDistribution } from "../constructs/edge-distribution.ts";
import { GatewayApi, type MountedFamily } from "../constructs/gateway-api.ts";
import type { Resources } from "../constructs/manifest-access.ts";
import { ManifestFunction } from "../constructs/manifest-function.ts";
import { RequestQuery } from "../constructs/request-query.ts";
import { SocketApi } from "../constructs/socket-api.ts";
import { WorkerFunction } from "../constructs/worker-function.ts";
import { deployedWorkers } from "../deployed-workers.ts";
import { hasRelayedUploads, hasSocketApi, type Stage } from "../stage.ts";

export interface ApiStackProps extends StackProps {
  readonly stage: Stage;
  readonly families: readonly Family[];
  /** Folder with the bundle of the function of this name. */
  readonly codeOf: (functionName: string) => Code;
  readonly resources: Omit<Resources, "socketApi" | "entranceSecret">;
  /** Secret of the distribution, if there is one. */
  readonly webAclArn: string | undefined;
}

interface Entrance {
  readonly url: string;
  readonly socketUrl: string;
  readonly secret?: ISecret;
}

/**
 * Whether a function sends messages or is called by something other than a request; all other functions' work is in the
 * APIs' logs.
 */
const passesOn = (manifest: Family | Worker) =>
  manifest.sends !== undefined || ("trigger" in manifest && "queue" in manifest.trigger);

/** Every function, the APIs and all other triggers; the routes of the HTTP APIs are in their own stacks. */
export class ApiStack extends Stack {
  readonly publicApi: GatewayApi;
  readonly internalApi: GatewayApi;
  /** Absent where relays hold all sockets. */
  readonly socketApi: SocketApi | undefined;
  /** Base address of the public API, as functions know it. */
  readonly publicUrl: string;
  /** Secret that proves that a handshake came through the distribution, if there is one. */
  readonly entranceSecret: ISecret | undefined;
  /** Each family with its function. */
  readonly mounted: readonly MountedFamily[];
  readonly workerFunctions: readonly WorkerFunction[];

  constructor(
    scope: Construct,
    id: string,
    { stage, families, codeOf, resources, webAclArn, ...props }: ApiStackProps,
  ) {
    super(scope, id, props);
    this.publicApi = new GatewayApi(this, { audience: "public", stage });
    this.internalApi = new GatewayApi(this, { audience: "internal", stage });
    this.socketApi = hasSocketApi(stage) ? new SocketApi(this, { stage }) : undefined;
    const entrance = this.#createEntrance(stage, webAclArn);
    this.entranceSecret = entrance.secret;
    this.publicUrl = stage.settings.publicUrl ?? entrance.url;
    const shared = {
      stage,
      resources: { ...resources, socketApi: this.socketApi, entranceSecret: entrance.secret },
      publicUrl: this.publicUrl,
      socketUrl: entrance.socketUrl,
    };

    this.mounted = families.map((family) => ({
      family,
      function: new ManifestFunction(this, {
        ...shared,
        manifest: family,
        code: codeOf(family.name),
        timeout: Duration.seconds(15),
      }),
    }));
    const deployed = deployedWorkers(stage);
    this.workerFunctions = deployed.map(
      (worker) =>
        new WorkerFunction(this, {
          ...shared,
          worker,
          code: codeOf(worker.name),
        }),
    );

    const passing = [...families, ...deployed].filter(passesOn).map(({ name }) => name);
    const functions = [...this.mounted.map((one) => one.function), ...this.workerFunctions];
    new RequestQuery(this, {
      stage,
      logGroups: [
        this.publicApi.accessLogs,
        this.internalApi.accessLogs,
        ...functions.filter(({ name }) => passing.includes(name)).map(({ logGroup }) => logGroup),
      ],
    });

    new CfnOutput(this, "PublicUrl", { value: entrance.url });
    new CfnOutput(this, "InternalUrl", { value: this.internalApi.url });
    new CfnOutput(this, "SocketUrl", { value: entrance.socketUrl });
  }

  /** Addresses that clients use: the distribution's, or without one those of the APIs and the relays. */
  #createEntrance(stage: Stage, webAclArn: string | undefined): Entrance {
    const {
      distribution,
      settings,
      sockets: { relay },
    } = stage;
    const { publicApi, socketApi } = this;
    const host = relay?.domainName ?? "";
    if (distribution === undefined) {
      return { url: publicApi.url, socketUrl: socketApi?.url ?? `wss://${host}` };
    }
    const { corsAllowedOrigins } = settings;
    const aliases = Object.keys(settings.saml.serviceProvidersByHost ?? {});
    const sockets = socketApi ?? host;
    return new EdgeDistribution(this, {
      distribution,
      webAclArn,
      aliases,
      corsAllowedOrigins,
      publicApi,
      sockets,
      uploads: hasRelayedUploads(stage) ? host : undefined,
    });
  }
}
