import { SQSClient } from "@aws-sdk/client-sqs";
import type { CloudFormationCustomResourceEvent, CloudFormationCustomResourceResponse } from "aws-lambda";
import { relayQueue } from "#shared/events/sockets/relay.ts";
import { RelayStore } from "#shared/events/sockets/relay-store.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { deleteQueue } from "./relay-inbox.ts";

/** Properties of the custom resource. */
export interface RelaysToRemove {
  /** Prefix of the URLs of the relays' queues. */
  readonly queues: string;
  /** Name of the table that records the relays. */
  readonly table: string;
}

/** CloudFormation accepts an answer within moments; a request to it must not wait forever. */
const answerMilliseconds = 10_000;

/**
 * Lambda handler of a custom resource: when CloudFormation deletes the resource, after the relays, the handler cleans
 * up after relays that could not do so themselves.
 */
export async function handler(event: CloudFormationCustomResourceEvent): Promise<void> {
  let failure: Pick<CloudFormationCustomResourceResponse, "Status" | "Reason"> | undefined;
  try {
    const { queues, table } = event.ResourceProperties as RelaysToRemove & { ServiceToken: string };
    if (event.RequestType === "Delete") await removeRelays({ queues, table });
  } catch (error) {
    failure = { Status: "FAILED", Reason: String(error) };
  }
  const { StackId, RequestId, LogicalResourceId } = event;
  const answer = { StackId, RequestId, LogicalResourceId, PhysicalResourceId: LogicalResourceId };
  const body = JSON.stringify({ ...answer, Status: "SUCCESS", ...failure });
  // The address is signed for a request without a content type.
  const { ok, status } = await fetch(event.ResponseURL, {
    method: "PUT",
    body,
    headers: { "content-type": "" },
    signal: AbortSignal.timeout(answerMilliseconds),
  });
  if (!ok) throw new Error(`CloudFormation does not accept the answer: ${status}`);
}

async function removeRelays({ queues, table }: RelaysToRemove): Promise<void> {
  const sqs = new SQSClient(awsClientOptions());
  const relays = new RelayStore({
    dynamo: createDynamo(),
    config: { tableName: () => table },
    clock: systemClock,
  });
  for (const relayId of await relays.all()) {
    await deleteQueue(sqs, relayQueue(queues, relayId));
    await relays.remove(relayId);
  }
}
