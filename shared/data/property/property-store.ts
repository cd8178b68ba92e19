import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  QueryCommand,
} from "@aws-sdk/lib-dynamodb";
import type { Config } from "../../config.ts";
import { isAtRevision, retryStale, StaleReadError, type Write } from "../conditions.ts";
import { splitText } from "../split-text.ts";
import {
  answerBytes,
  type Property,
  type PropertyIndex,
  propertyIndex,
  type ValuePiece,
  valuePiece,
  valuePrefix,
} from "./property.ts";

const ownerOf = (userId: string) => `user#${userId}`;
const indexEntry = "index";

/**
 * Properties of users: an index, and the values as JSON text in as many items as they need. Access patterns: the index
 * of a user; one value; all values.
 */
export class PropertyStore {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(client: DynamoDBDocumentClient, config: Config) {
    this.#client = client;
    this.#tableName = config.tableName("properties");
  }

  async index(userId: string): Promise<PropertyIndex> {
    const { Item } = await this.#client.send(
      new GetCommand({
        TableName: this.#tableName,
        Key: { owner: ownerOf(userId), entry: indexEntry },
        ConsistentRead: true,
      }),
    );
    return Item === undefined ? { userId, revision: 0, properties: [] } : propertyIndex.parse(Item);
  }

  /** The value of a property as JSON text. */
  get(userId: string, key: string): Promise<string | undefined> {
    return retryStale(async () => {
      // One page: the largest value is half of what a page holds.
      const { Items = [] } = await this.#client.send(
        new QueryCommand({
          TableName: this.#tableName,
          KeyConditionExpression: "#owner = :owner AND begins_with(entry, :prefix)",
          ExpressionAttributeNames: { "#owner": "owner" },
          ExpressionAttributeValues: { ":owner": ownerOf(userId), ":prefix": valuePrefix(key) },
          ConsistentRead: true,
        }),
      );
      const pieces = Items.map((item) => valuePiece.parse(item));
      return pieces[0] && join(pieces, pieces[0]);
    });
  }

  /** All values of a user as JSON text, by their keys in alphabetical order. */
  all(userId: string): Promise<[key: string, json: string][]> {
    return retryStale(async () => {
      let index: PropertyIndex | undefined;
      const pieces: ValuePiece[] = [];
      for await (const item of this.#itemsOf(userId)) {
        if (item.entry === indexEntry) index = propertyIndex.parse(item);
        else pieces.push(valuePiece.parse(item));
      }
      const piecesOf = Map.groupBy(pieces, ({ entry }) => entry.slice(0, entry.lastIndexOf("#") + 1));
      return sorted(index?.properties ?? []).map((property) => [
        property.key,
        join(piecesOf.get(valuePrefix(property.key)) ?? [], property),
      ]);
    });
  }

  /** Writes that set a property, given the index as it was read. Rejected as `StaleReadError`. */
  set({ userId, revision, properties }: PropertyIndex, key: string, json: string): Write[] {
    const texts = splitText(json);
    const next: Property = {
      key,
      bytes: answerBytes(json),
      pieces: texts.length,
      revision: revision + 1,
    };
    const former = properties.find((property) => property.key === key);
    const others = properties.filter((property) => property !== former);
    return [
      this.#putIndex({ userId, revision, properties: [...others, next] }),
      ...texts.map((text, piece) => ({
        item: {
          Put: {
            TableName: this.#tableName,
            Item: { ...pieceKey(userId, key, piece), text, pieces: next.pieces, revision: next.revision },
          },
        },
      })),
      ...(former === undefined ? [] : this.#deletePieces(userId, former, next.pieces)),
    ];
  }

  /** Writes that remove properties, given the index as it was read. Rejected as `StaleReadError`. */
  remove({ userId, revision, properties }: PropertyIndex, removed: readonly Property[]): Write[] {
    const left = properties.filter((property) => !removed.includes(property));
    return [
      this.#putIndex({ userId, revision, properties: left }),
      ...removed.flatMap((property) => this.#deletePieces(userId, property)),
    ];
  }

  /** Remove all that there is of a deleted user. Repeating it changes nothing. */
  async removeAll(userId: string): Promise<void> {
    for await (const { owner, entry } of this.#itemsOf(userId, "#owner, entry")) {
      await this.#client.send(new DeleteCommand({ TableName: this.#tableName, Key: { owner, entry } }));
    }
  }

  /** @param index as it was read, but with the properties that it shall have */
  #putIndex({ userId, revision, properties }: PropertyIndex): Write {
    return {
      item: {
        Put: {
          TableName: this.#tableName,
          Item: {
            owner: ownerOf(userId),
            entry: indexEntry,
            userId,
            properties: sorted(properties),
            revision: revision + 1,
          },
          ...isAtRevision(revision),
        },
      },
      onRejected: () => new StaleReadError(`properties of ${userId}`),
    };
  }

  #deletePieces(userId: string, { key, pieces }: Property, from = 0): Write[] {
    return Array.from({ length: Math.max(pieces - from, 0) }, (_, index) => ({
      item: { Delete: { TableName: this.#tableName, Key: pieceKey(userId, key, from + index) } },
    }));
  }

  async *#itemsOf(userId: string, projection?: string): AsyncGenerator<Record<string, unknown>> {
    const pages = paginateQuery(
      { client: this.#client },
      {
        TableName: this.#tableName,
        KeyConditionExpression: "#owner = :owner",
        ProjectionExpression: projection,
        ExpressionAttributeNames: { "#owner": "owner" },
        ExpressionAttributeValues: { ":owner": ownerOf(userId) },
        ConsistentRead: true,
      },
    );
    for await (const { Items = [] } of pages) yield* Items;
  }
}

const pieceKey = (userId: string, key: string, piece: number) => ({
  owner: ownerOf(userId),
  entry: `${valuePrefix(key)}${piece}`,
});

const sorted = (properties: readonly Property[]) =>
  properties.toSorted((one, other) => (one.key < other.key ? -1 : 1));

/** A query can meet a change half-way. @throws StaleReadError when it has */
function join(found: readonly ValuePiece[], { pieces, revision }: Pick<Property, "pieces" | "revision">) {
  if (found.length !== pieces || found.some((piece) => piece.revision !== revision)) {
    throw new StaleReadError("value of a property");
  }
  return found.map(({ text }) => text).join("");
}
