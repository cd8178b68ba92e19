import type { App } from "aws-cdk-lib";
import type { Code } from "aws-cdk-lib/aws-lambda";
import { families as everyFamily } from "#functions/families.ts";
import type { Family } from "#shared/platform/manifest.ts";
import { RelayQueues } from "../constructs/relay-queues.ts";
import { socketAccessElsewhere } from "../constructs/socket-access.ts";
import { refersStrongly } from "../cross-stack-references.ts";
import type { Stage } from "../stage.ts";
import { ApiStack } from "./api-stack.ts";
import { createCopies } from "./copies-stack.ts";
import { DataStack } from "./data-stack.ts";
import { createEdge } from "./edge-stack.ts";
import { MessagingStack } from "./messaging-stack.ts";
import { MonitoringStack } from "./monitoring-stack.ts";
import { RelayStack } from "./relay-stack.ts";
import { RoutesStack } from "./routes-stack.ts";

/**
 * Context of the CDK app: names of stacks, separated by commas, that have no protection yet, so that they can be
 * deleted if their creation fails.
 */
export const unprotectedContext = "unprotected";

interface CreateStacksOptions {
  readonly stage: Stage;
  readonly families?: readonly Family[];
  /** Bundle of the function of this name. */
  readonly codeOf: (functionName: string) => Code;
  /** Folder with the output of `bundleRelay`, which only a stage with relays reads. */
  readonly relayFolder: string;
}

/** The whole deployment of one stage. Each stack depends only on those before it. */
export function createStacks(
  app: App,
  { stage, families = everyFamily, codeOf, relayFolder }: CreateStacksOptions,
) {
  const unprotected = String(app.node.tryGetContext(unprotectedContext) ?? "").split(",");
  const env = { account: stage.account, region: stage.region };
  const named = (stack: string) => {
    const name = `parley-${stage.name}-${stack}`;
    const terminationProtection = stage.isProtected && !unprotected.includes(name);
    return [name, { stage, env, terminationProtection }] as const;
  };
  const copies = createCopies(app, ...named("copies"));
  const [dataName, dataProps] = named("data");
  const data = new DataStack(app, dataName, { ...dataProps, copies });
  // S3 refuses replication to a bucket that does not exist.
  if (copies !== undefined) data.addStackDependency(copies);
  const messaging = new MessagingStack(app, ...named("messaging"));
  const { relay } = stage.sockets;
  const relayQueues = relay && new RelayQueues(stage);
  const resources = {
    tables: data.tables,
    buckets: data.buckets,
    queues: messaging.queues,
    secrets: data.secrets,
    relayQueues,
  };
  const edge = stage.distribution?.rateRules && createEdge(app, ...named("edge"));
  const webAclArn = edge?.webAclArn ?? stage.distribution?.webAclArn;
  const [apiName, apiProps] = named("api");
  const api = new ApiStack(app, apiName, {
    ...apiProps,
    // Exports do not work across regions, so custom resources copy the ARN of the web ACL.
    crossRegionReferences: edge !== undefined && refersStrongly(app),
    families,
    codeOf,
    resources,
    webAclArn,
  });
  if (edge !== undefined) api.addStackDependency(edge);
  const { mounted, socketApi, publicUrl, entranceSecret } = api;
  const [relayName, relayProps] = named("relay");
  const relays =
    relay &&
    relayQueues &&
    new RelayStack(app, relayName, {
      ...relayProps,
      relay,
      resources: {
        ...resources,
        relayQueues,
        socketApi: socketApi && socketAccessElsewhere(socketApi),
        entranceSecret,
      },
      publicUrl,
      files: relayFolder,
    });
  const routes = [api.publicApi, api.internalApi].map((gateway) => {
    const [routesName, routesProps] = named(`${gateway.audience}-routes`);
    return new RoutesStack(app, routesName, { ...routesProps, api: gateway, mounted });
  });
  const [monitoringName, monitoringProps] = named("monitoring");
  const monitoring = new MonitoringStack(app, monitoringName, {
    ...monitoringProps,
    queues: messaging.queues,
    apis: [api.publicApi, api.internalApi],
    socketApi,
    relays,
    familyFunctions: mounted.map((family) => family.function),
    workerFunctions: api.workerFunctions,
  });
  return {
    ...(copies && { copies }),
    data,
    messaging,
    ...(edge && { edge }),
    api,
    ...(relays && { relays }),
    routes,
    monitoring,
  };
}
