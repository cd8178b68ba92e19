import { families, workers } from "#functions/families.ts";
import { docsFolder, settingsFile, startFile } from "#lib/bundle/bundle.ts";
import { gatewayRoutes } from "#lib/gateway-routes.ts";
import type { DataAccess } from "#lib/local/console/data-access.ts";
import { functionEnvironment } from "#lib/local/function-environment.ts";
import { type QueueName, type QueueSpec, queues } from "#shared/registry/queues.ts";

/** Folder into which Lambda unpacks a bundle. */
const bundleRoot = "/var/task";
/** Account of the emulators. */
const account = "000000000000";

const apiId = "PublicApi";

/** Names of resources may only have letters and digits. */
export const logicalId = (name: string): string =>
  name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());

interface Options {
  readonly access: DataAccess;
  /** Folder of the bundles, relative to that of the template. */
  readonly bundles: string;
  readonly architecture: "arm64" | "x86_64";
}

/**
 * A SAM template of all functions, with the routes of the public API, whose environment leads to the emulators of a
 * running `npm start`. Containers can only reach these through the network of the host.
 */
export function samTemplate({ access, bundles, architecture }: Options) {
  const routes = gatewayRoutes(families, "public");
  const functions = [...families, ...workers].map(({ name, summary, ...manifest }) => {
    const events = routes.flatMap(({ path, family }, index) =>
      family === name ? [[`Route${index}`, routeOf(path)]] : [],
    );
    const properties = {
      FunctionName: name,
      Description: summary,
      CodeUri: `${bundles}/${name}`,
      Handler: startFile.replace(/\.\w+$/, ".handler"),
      Environment: { Variables: environmentOf(manifest, access) },
      ...(events.length > 0 && { Events: Object.fromEntries(events) }),
    };
    return [logicalId(name), { Type: "AWS::Serverless::Function", Properties: properties }];
  });
  return {
    AWSTemplateFormatVersion: "2010-09-09",
    Transform: "AWS::Serverless-2016-10-31",
    // On AWS, a function could not have variables with the region and credentials; in a container, it takes them.
    Metadata: { "cfn-lint": { config: { ignore_checks: ["E3663"] } } },
    Globals: {
      Function: { Runtime: "nodejs24.x", Architectures: [architecture], MemorySize: 1024, Timeout: 30 },
    },
    Resources: { [apiId]: { Type: "AWS::Serverless::HttpApi" }, ...Object.fromEntries(functions) },
  };
}

const routeOf = (path: string) => ({
  Type: "HttpApi",
  Properties: { ApiId: { Ref: apiId }, ...(path !== "$default" && { Path: path, Method: "ANY" }) },
});

function environmentOf(
  manifest: Parameters<typeof functionEnvironment>[0],
  { environment, prefix, publicUrl }: DataAccess,
): Record<string, string> {
  const queueRoot = `${environment.AWS_ENDPOINT_URL_SQS}/${account}`;
  const nameOf = (resource: string) => `${prefix}-${resource}`;
  const suffixOf = (queue: QueueName) => ((queues[queue] satisfies QueueSpec).isFifo ? ".fifo" : "");
  return {
    ...functionEnvironment(manifest, {
      settingsFile: `${bundleRoot}/${settingsFile}`,
      publicUrl,
      docsAssets: `${bundleRoot}/${docsFolder}`,
      logLevel: "INFO",
      // A socket of `npm start` is held by its relay.
      socketsEndpoint: "",
      relayQueues: `${queueRoot}/${nameOf("relay-")}`,
      tableName: nameOf,
      bucketName: nameOf,
      queueUrl: (queue) => `${queueRoot}/${nameOf(queue)}${suffixOf(queue)}`,
      secretId: nameOf,
    }),
    ...environment,
  };
}
