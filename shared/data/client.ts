import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** What the SDK has when it is told nothing. */
const usualSockets = 50;

/**
 * Document client with the house rules: undefined fields are not stored. Made once per container.
 * @param options.maxSockets requests that can be under way at once
 */
export const createDocumentClient = ({ maxSockets = usualSockets } = {}): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(
    new DynamoDBClient({ requestHandler: { httpAgent: { maxSockets }, httpsAgent: { maxSockets } } }),
    { marshallOptions: { removeUndefinedValues: true } },
  );
