import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { Config } from "../../config.ts";
import { batchRead } from "../batch-read.ts";
import { onConditionFailed } from "../conditions.ts";
import { type OAuthClient, oauthClientItem } from "./oauth-client.ts";

export const oauthClientKey = (clientId: string) => ({ owner: `client#${clientId}`, entry: "client" });

/** Third-party apps. Access pattern: by id, one or several. */
export class OAuthClientStore {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(client: DynamoDBDocumentClient, config: Config) {
    this.#client = client;
    this.#tableName = config.tableName("oauth");
  }

  async get(clientId: string): Promise<OAuthClient | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#tableName, Key: oauthClientKey(clientId), ConsistentRead: true }),
    );
    return Item && oauthClientItem.parse(Item);
  }

  /** Apps by id in any order; unknown ones are left out. */
  async getMany(clientIds: readonly string[]): Promise<OAuthClient[]> {
    const keys = [...new Set(clientIds)].map(oauthClientKey);
    const items = await batchRead(this.#client, [{ tableName: this.#tableName, keys }]);
    return items.map((item) => oauthClientItem.parse(item));
  }

  async create(client: OAuthClient): Promise<void> {
    await this.#client.send(this.#put(client, "attribute_not_exists(entry)"));
  }

  /** @returns whether there is such an app */
  async replace(client: OAuthClient): Promise<boolean> {
    return onConditionFailed(
      this.#client.send(this.#put(client, "attribute_exists(entry)")).then(() => true),
      () => false,
    );
  }

  /** @returns whether there was such an app */
  async remove(clientId: string): Promise<boolean> {
    const { Attributes } = await this.#client.send(
      new DeleteCommand({
        TableName: this.#tableName,
        Key: oauthClientKey(clientId),
        ReturnValues: "ALL_OLD",
      }),
    );
    return Attributes !== undefined;
  }

  #put(client: OAuthClient, condition: string) {
    return new PutCommand({
      TableName: this.#tableName,
      Item: { ...oauthClientKey(client.clientId), ...client },
      ConditionExpression: condition,
    });
  }
}
