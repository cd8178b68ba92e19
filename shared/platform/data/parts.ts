import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** Items that do not fit into a transaction. They are stored before it, where nobody finds them before the commit. */
export interface Parts {
  readonly store: (dynamo: DynamoDBDocumentClient) => Promise<void>;
  /** Undoes it if nothing has been committed. Items left by a dead function must be harmless. */
  readonly discard: (dynamo: DynamoDBDocumentClient) => Promise<void>;
}
