import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { EventPublisher } from "./publisher.ts";
import type { PushTokenStore } from "./push/push-token-store.ts";

/** Dependencies of the rules of this domain; each rule names those that it uses. */
export interface EventDeps {
  readonly dynamo: DynamoDBDocumentClient;
  readonly events: EventPublisher;
  readonly outbox: Outbox;
  readonly pushTokens: PushTokenStore;
}
