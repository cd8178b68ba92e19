import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { EventPublisher } from "./publisher.ts";
import type { PushTokenStore } from "./push/push-token-store.ts";

/** What the rules of this domain work with; each names its pick. */
export interface EventDeps {
  readonly dynamo: DynamoDBDocumentClient;
  readonly events: EventPublisher;
  readonly outbox: Outbox;
  readonly pushTokens: PushTokenStore;
}
