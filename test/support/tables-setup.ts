import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { TestProject } from "vitest/node";
import { tableSpecs } from "#lib/local/emulators/resources.ts";
import { startTableServer } from "#lib/local/emulators/table-server.ts";
import { createTable } from "#lib/local/emulators/tables.ts";

declare module "vitest" {
  interface ProvidedContext {
    tablesEnvironment: Record<string, string>;
  }
}

/** There are no queues: whoever sends a message fails at once. */
const nowhere = "http://127.0.0.1:1";

/** Creates empty tables for store tests; each test uses its own keys. */
export default async function setup(project: TestProject) {
  const server = await startTableServer();
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const region = "eu-central-1";
  const dynamo = new DynamoDBClient({ endpoint: server.url, region, credentials });
  await Promise.all(tableSpecs.map(([name, spec]) => createTable(dynamo, `test-${name}`, spec)));
  dynamo.destroy();
  project.provide("tablesEnvironment", {
    AWS_ENDPOINT_URL_DYNAMODB: server.url,
    AWS_ENDPOINT_URL_SQS: nowhere,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  });
  return () => server.stop();
}
