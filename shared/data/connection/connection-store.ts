import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Config } from "../../config.ts";
import { type Connection, connectionItem } from "./connection.ts";

const owner = (userId: string) => `user#${userId}`;
const peerPrefix = "peer#";

/** Connections between users. Access patterns: all of a user in the order of the peers' ids. */
export class ConnectionStore {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(client: DynamoDBDocumentClient, config: Config) {
    this.#client = client;
    this.#tableName = config.tableName("connections");
  }

  /** All rows of a user, page by page, in the order of the peers' ids. */
  async *ofUser(userId: string): AsyncGenerator<Connection> {
    let startKey: Record<string, unknown> | undefined;
    do {
      const page = await this.#client.send(
        new QueryCommand({
          TableName: this.#tableName,
          KeyConditionExpression: "#owner = :owner AND begins_with(entry, :peers)",
          ExpressionAttributeNames: { "#owner": "owner" },
          ExpressionAttributeValues: { ":owner": owner(userId), ":peers": peerPrefix },
          ConsistentRead: true,
          ExclusiveStartKey: startKey,
        }),
      );
      for (const item of page.Items ?? []) yield connectionItem.parse(item);
      startKey = page.LastEvaluatedKey;
    } while (startKey !== undefined);
  }
}
