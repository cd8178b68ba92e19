import type { App } from "aws-cdk-lib";
import type { Code } from "aws-cdk-lib/aws-lambda";
import { families as everyFamily } from "#functions/families.ts";
import type { Family } from "#shared/platform/manifest.ts";
import { RelayQueues } from "../constructs/relay-queues.ts";
import { socketAccessElsewhere } from "../constructs/socket-access.ts";
import { refersStrongly } from "../cross-stack-references.ts";
import type { Stage } from "../stage.ts";
import { ApiStack } from "./api-stack.ts";
import { DataStack } from "./data-stack.ts";
import { createEdge } from "./edge-stack.ts";
import { MessagingStack } from "./messaging-stack.ts";
import { MonitoringStack } from "./monitoring-stack.ts";
import { RelayStack } from "./relay-stack.ts";
import { RoutesStack } from "./routes-stack.ts";

interface CreateStacksOptions {
  readonly stage: Stage;
  readonly families?: readonly Family[];
  /** Bundle of the function of this name. */
  readonly codeOf: (functionName: string) => Code;
  /** Folder with the output of `bundleRelay`, which only a stage with relays reads. */
  readonly relayFolder: string;
}

/** The whole deployment of one stage. Each stack uses those before it and none after it. */
export function createStacks(
  app: App,
  { stage, families = everyFamily, codeOf, relayFolder }: CreateStacksOptions,
) {
  const props = {
    stage,
    env: { account: stage.account, region: stage.region },
    terminationProtection: stage.isProtected,
  };
  const data = new DataStack(app, `parley-${stage.name}-data`, props);
  const messaging = new MessagingStack(app, `parley-${stage.name}-messaging`, props);
  const { relay } = stage.sockets;
  const relayQueues = relay && new RelayQueues(stage);
  const resources = {
    tables: data.tables,
    buckets: data.buckets,
    queues: messaging.queues,
    secrets: data.secrets,
    relayQueues,
  };
  const edge = stage.distribution?.rateRules && createEdge(app, stage);
  const webAclArn = edge?.webAclArn ?? stage.distribution?.webAclArn;
  const api = new ApiStack(app, `parley-${stage.name}-api`, {
    ...props,
    // Exports do not leave their region: custom resources copy the ARN of the web ACL.
    crossRegionReferences: edge !== undefined && refersStrongly(app),
    families,
    codeOf,
    resources,
    webAclArn,
  });
  if (edge !== undefined) api.addStackDependency(edge);
  const { mounted, socketApi, publicUrl, entranceSecret } = api;
  const relays =
    relay &&
    relayQueues &&
    new RelayStack(app, `parley-${stage.name}-relay`, {
      ...props,
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
  const routes = [api.publicApi, api.internalApi].map(
    (gateway) =>
      new RoutesStack(app, `parley-${stage.name}-${gateway.audience}-routes`, {
        ...props,
        api: gateway,
        mounted,
      }),
  );
  const monitoring = new MonitoringStack(app, `parley-${stage.name}-monitoring`, {
    ...props,
    queues: messaging.queues,
    apis: [api.publicApi, api.internalApi],
    socketApi,
    relays,
    familyFunctions: mounted.map((family) => family.function),
    workerFunctions: api.workerFunctions,
  });
  return { data, messaging, ...(edge && { edge }), api, ...(relays && { relays }), routes, monitoring };
}
