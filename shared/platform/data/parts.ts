import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** Items that do not fit into a transaction: stored before it, where nobody finds them without what it writes. */
export interface Parts {
  readonly store: (dynamo: DynamoDBDocumentClient) => Promise<void>;
  /** For when nothing has been committed. What a dead function leaves has to do no harm. */
  readonly discard: (dynamo: DynamoDBDocumentClient) => Promise<void>;
}
