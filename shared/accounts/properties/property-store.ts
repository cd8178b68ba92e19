import { retryStale, StaleReadError, type Write } from "#shared/platform/data/conditions.ts";
import { splitText } from "#shared/platform/data/split-text.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { Table } from "#shared/platform/data/table.ts";
import { inPlaceOf } from "#shared/platform/data/unknown-fields.ts";
import { textBytes } from "#shared/platform/http/answer-size.ts";
import {
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
 * Properties of users: an index, and the values as JSON text, split into several items if large. Access patterns: the
 * index of a user; one value; all values.
 */
export class PropertyStore {
  readonly #table: Table<"properties">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "properties");
  }

  async index(userId: string): Promise<PropertyIndex> {
    const item = await this.#table.get({ owner: ownerOf(userId), entry: indexEntry });
    return item === undefined ? { userId, revision: 0, properties: [] } : propertyIndex.parse(item);
  }

  /** The value of a property as JSON text. */
  get(userId: string, key: string): Promise<string | undefined> {
    return retryStale(async () => {
      // One page is enough: the largest value is half of what a page holds.
      const { Items = [] } = await this.#table.page(ownerOf(userId), {
        range: "begins_with(entry, :prefix)",
        ExpressionAttributeValues: { ":prefix": valuePrefix(key) },
      });
      const pieces = Items.map((item) => valuePiece.parse(item));
      return pieces[0] && join(pieces, pieces[0]);
    });
  }

  /** All values of a user as JSON text with their keys, in alphabetical order of the keys. */
  all(userId: string): Promise<[key: string, json: string][]> {
    return retryStale(async () => {
      let index: PropertyIndex | undefined;
      const pieces: ValuePiece[] = [];
      for await (const item of this.#table.query(ownerOf(userId))) {
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
  set(index: PropertyIndex, key: string, json: string): Write[] {
    const { userId, revision, properties } = index;
    const texts = splitText(json);
    const next: Property = {
      key,
      bytes: textBytes(json),
      pieces: texts.length,
      revision: revision + 1,
    };
    const former = properties.find((property) => property.key === key);
    const others = properties.filter((property) => property !== former);
    return [
      this.#putIndex({ ...index, properties: [...others, inPlaceOf(former, next)] }),
      ...texts.map((text, piece) =>
        this.#table.putWrite({
          ...pieceKey(userId, key, piece),
          text,
          pieces: next.pieces,
          revision: next.revision,
        }),
      ),
      ...(former === undefined ? [] : this.#deletePieces(userId, former, next.pieces)),
    ];
  }

  /** Writes that remove properties, given the index as it was read. Rejected as `StaleReadError`. */
  remove(index: PropertyIndex, removed: readonly Property[]): Write[] {
    const { userId, properties } = index;
    const left = properties.filter((property) => !removed.includes(property));
    return [
      this.#putIndex({ ...index, properties: left }),
      ...removed.flatMap((property) => this.#deletePieces(userId, property)),
    ];
  }

  /** Remove all properties of a deleted user. Safe to repeat. */
  async removeAll(userId: string): Promise<void> {
    const owner = ownerOf(userId);
    for await (const { entry } of this.#table.query(owner, { ProjectionExpression: "entry" })) {
      await this.#table.delete({ owner, entry: String(entry) });
    }
  }

  /** @param index the index that was read, with its new properties but the old revision */
  #putIndex(index: PropertyIndex): Write {
    const { userId, revision, properties } = index;
    return this.#table.putWrite(
      {
        owner: ownerOf(userId),
        entry: indexEntry,
        ...index,
        properties: sorted(properties),
        revision: revision + 1,
      },
      { atRevision: revision },
    );
  }

  #deletePieces(userId: string, { key, pieces }: Property, from = 0): Write[] {
    return Array.from({ length: Math.max(pieces - from, 0) }, (_, index) =>
      this.#table.deleteWrite(pieceKey(userId, key, from + index)),
    );
  }
}

const pieceKey = (userId: string, key: string, piece: number) => ({
  owner: ownerOf(userId),
  entry: `${valuePrefix(key)}${piece}`,
});

const sorted = (properties: readonly Property[]) =>
  properties.toSorted((one, other) => (one.key < other.key ? -1 : 1));

/** Joins the pieces of a value. @throws StaleReadError when a change happened during the query */
function join(found: readonly ValuePiece[], { pieces, revision }: Pick<Property, "pieces" | "revision">) {
  if (found.length !== pieces || found.some((piece) => piece.revision !== revision)) {
    throw new StaleReadError("value of a property");
  }
  return found.map(({ text }) => text).join("");
}
