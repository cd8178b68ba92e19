import type { Config } from "#shared/platform/config.ts";
import { queues } from "#shared/registry/queues.ts";
import { parseSettings } from "#shared/registry/settings.ts";

/** Configuration for access to the resources of a stack. */
export function stackConfig(prefix: string): Config {
  return {
    settings: parseSettings({}),
    publicUrl: "",
    logLevel: "CRITICAL",
    docsAssets: "",
    socketUrl: "",
    socketsEndpoint: "",
    tableName: (name) => `${prefix}-${name}`,
    bucketName: (name) => `${prefix}-${name}`,
    queueUrl: (name) =>
      `${process.env.AWS_ENDPOINT_URL_SQS}/000000000000/${prefix}-${name}${queues[name].isFifo ? ".fifo" : ""}`,
    secretId: (name) => `${prefix}-${name}`,
  };
}
