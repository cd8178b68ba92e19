import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  paginateScan,
} from "@aws-sdk/client-dynamodb";
import type { TableSpec } from "#shared/registry/tables.ts";

/**
 * Delete the expired items of a table, since the local DynamoDB emulator does not do so.
 * @returns their number
 */
export async function deleteExpired(
  dynamo: DynamoDBClient,
  tableName: string,
  { partitionKey, sortKey, timeToLive }: TableSpec,
  nowSeconds: number,
): Promise<number> {
  if (timeToLive === undefined) return 0;
  const expired = {
    ExpressionAttributeNames: { "#expiry": timeToLive },
    ExpressionAttributeValues: { ":now": { N: String(nowSeconds) } },
  };
  const pages = paginateScan(
    { client: dynamo },
    { TableName: tableName, FilterExpression: "#expiry < :now", ...expired },
  );
  let deleted = 0;
  for await (const { Items = [] } of pages) {
    for (const item of Items) {
      const command = new DeleteItemCommand({
        TableName: tableName,
        Key: pick(item, sortKey === undefined ? [partitionKey] : [partitionKey, sortKey]),
        // The item may have been renewed since the scan.
        ConditionExpression: "#expiry < :now",
        ...expired,
      });
      deleted += await dynamo.send(command).then(
        () => 1,
        (error) => {
          if (error instanceof ConditionalCheckFailedException) return 0;
          throw error;
        },
      );
    }
  }
  return deleted;
}

const pick = (item: Record<string, AttributeValue>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
