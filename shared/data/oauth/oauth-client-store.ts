import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from "@aws-sdk/lib-dynamodb";
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
    await this.#client.send(
      new PutCommand({
        TableName: this.#tableName,
        Item: { ...oauthClientKey(client.clientId), ...client },
        ConditionExpression: "attribute_not_exists(entry)",
      }),
    );
  }

  /** @returns the app as it is now, undefined when there is none */
  describe(
    clientId: string,
    { applicationName, redirectUrl }: Pick<OAuthClient, "applicationName" | "redirectUrl">,
  ): Promise<OAuthClient | undefined> {
    return this.#update(clientId, {
      UpdateExpression: "SET applicationName = :name, redirectUrl = :url",
      ConditionExpression: "attribute_exists(entry)",
      ExpressionAttributeValues: { ":name": applicationName, ":url": redirectUrl },
    });
  }

  /** @returns the app as it is now, undefined when its newest secret is not the one that was read */
  replaceSecrets(read: OAuthClient, secrets: OAuthClient["secrets"]): Promise<OAuthClient | undefined> {
    return this.#update(read.clientId, {
      UpdateExpression: "SET secrets = :secrets",
      ConditionExpression: "secrets[0].#hash = :newest",
      ExpressionAttributeNames: { "#hash": "hash" },
      ExpressionAttributeValues: { ":secrets": secrets, ":newest": read.secrets[0]?.hash },
    });
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

  async #update(
    clientId: string,
    update: Omit<UpdateCommandInput, "TableName" | "Key">,
  ): Promise<OAuthClient | undefined> {
    const command = new UpdateCommand({
      TableName: this.#tableName,
      Key: oauthClientKey(clientId),
      ReturnValues: "ALL_NEW",
      ...update,
    });
    const result = await onConditionFailed(this.#client.send(command), () => undefined);
    return result && oauthClientItem.parse(result.Attributes);
  }
}
