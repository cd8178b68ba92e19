import { DeleteCommand, type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Config } from "../../config.ts";
import type { Write } from "../conditions.ts";
import { type RichInfo, richInfo } from "./rich-info.ts";

const richInfoKey = (userId: string) => ({ pk: `user#${userId}`, sk: "rich-info" });

/** Rich info of users, in the table of their accounts. Access pattern: by user id. */
export class RichInfoStore {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(client: DynamoDBDocumentClient, config: Config) {
    this.#client = client;
    this.#tableName = config.tableName("accounts");
  }

  async get(userId: string): Promise<RichInfo | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#tableName, Key: richInfoKey(userId), ConsistentRead: true }),
    );
    return Item && richInfo.parse(Item);
  }

  /** To be written together with the condition that its user is not deleted, or it would outlive the erasure. */
  put(userId: string, { version, fields }: RichInfo): Write {
    return {
      item: { Put: { TableName: this.#tableName, Item: { ...richInfoKey(userId), version, fields } } },
    };
  }

  async remove(userId: string): Promise<void> {
    await this.#client.send(new DeleteCommand({ TableName: this.#tableName, Key: richInfoKey(userId) }));
  }
}
