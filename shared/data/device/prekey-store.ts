import { randomInt } from "node:crypto";
import { TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, paginateQuery, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import type { Config } from "../../config.ts";
import { ApiError } from "../../errors.ts";
import { isAtRevision, onConditionFailed, retryStale, StaleReadError, type Write } from "../conditions.ts";
import { lastPrekeyId, type Prekey, prekeyItem } from "./prekey.ts";

/** Writes of claims spread over so many items. Clients number their prekeys one by one, so pages grow evenly. */
const pageCount = 16;
const longestPage = 125;

const pageEntry = (page: number) => `prekeys#${String(page).padStart(2, "0")}`;
const allPages = Array.from({ length: pageCount }, (_, page) => pageEntry(page));
const lastEntry = "last";

const pageItem = z.object({
  entry: z.string(),
  prekeys: z.array(prekeyItem),
  /** Another one after each change; a page that is written anew never has one that it had before. */
  revision: z.int(),
});
type Page = z.infer<typeof pageItem>;

const lastItem = z.object({ prekey: prekeyItem });

const deviceKey = (userId: string, clientId: string) => `device#${userId}#${clientId}`;

/** Prekeys of devices. Access patterns: one of a page, which takes it out; all of a device. */
export class PrekeyStore {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(client: DynamoDBDocumentClient, config: Config) {
    this.#client = client;
    this.#tableName = config.tableName("clients");
  }

  /**
   * Give a device these prekeys and no others. Needs no read.
   * @throws ApiError `bad-request` for too many
   */
  async replaceAll(
    userId: string,
    clientId: string,
    prekeys: readonly Prekey[],
    lastPrekey: Prekey,
  ): Promise<Write[]> {
    const owner = deviceKey(userId, clientId);
    const { pages } = sorted(prekeys);
    return [
      ...allPages.map((entry) => {
        const inPage = pages.get(entry);
        return inPage === undefined ? this.#delete(owner, entry) : this.#putPage(owner, entry, inPage);
      }),
      this.#putLast(owner, lastPrekey),
    ];
  }

  /**
   * Add prekeys to those of a device; one with the same id is replaced. Rejected as `StaleReadError` when one of them
   * is claimed or added meanwhile.
   * @throws ApiError `bad-request` for too many
   */
  async add(
    userId: string,
    clientId: string,
    prekeys: readonly Prekey[],
    lastPrekey?: Prekey,
  ): Promise<Write[]> {
    const owner = deviceKey(userId, clientId);
    const { pages, last } = sorted(lastPrekey === undefined ? prekeys : [...prekeys, lastPrekey]);
    const present = pages.size === 0 ? [] : (await this.#read(owner)).pages;
    return [
      ...[...pages].map(([entry, added]) => {
        const page = present.find((one) => one.entry === entry);
        return this.#putPage(owner, entry, merged(page?.prekeys ?? [], added), page ?? { revision: 0 });
      }),
      ...(last === undefined ? [] : [this.#putLast(owner, last)]),
    ];
  }

  /** Needs no read, so that nothing which is added meanwhile stays behind. */
  async removeAll(userId: string, clientId: string): Promise<Write[]> {
    const owner = deviceKey(userId, clientId);
    return [...allPages, lastEntry].map((entry) => this.#delete(owner, entry));
  }

  /** Ids of the prekeys that are left, ascending, with the last-resort one. */
  async ids(userId: string, clientId: string): Promise<number[]> {
    const { pages, last } = await this.#read(deviceKey(userId, clientId));
    const left = [...pages.flatMap(({ prekeys }) => prekeys), ...(last === undefined ? [] : [last])];
    return left.map(({ id }) => id).toSorted((one, other) => one - other);
  }

  /**
   * Take a prekey out, one of several at random: nobody else gets it. When there is none, the last-resort one, which
   * stays; undefined when the device has none at all. Usually one round trip; two when the pool runs low.
   * @throws ApiError `concurrent-change` when others are faster each time
   */
  async claim(userId: string, clientId: string): Promise<Prekey | undefined> {
    const owner = deviceKey(userId, clientId);
    const first = await this.#take(owner, oneOf(allPages));
    if (first !== undefined) return first;
    return retryStale(async () => {
      const { pages, last } = await this.#read(owner);
      const filled = pages.filter(({ prekeys }) => prekeys.length > 0).map(({ entry }) => entry);
      if (filled.length === 0) return last;
      const prekey = await this.#take(owner, oneOf(filled));
      if (prekey === undefined) throw new StaleReadError(`prekeys of ${owner}`);
      return prekey;
    });
  }

  /** Undefined when the page is empty, or when an upload has it in hand. */
  async #take(owner: string, entry: string): Promise<Prekey | undefined> {
    const update = new UpdateCommand({
      TableName: this.#tableName,
      Key: { owner, entry },
      UpdateExpression: "REMOVE prekeys[0] ADD revision :one",
      ConditionExpression: "attribute_exists(prekeys[0])",
      ExpressionAttributeValues: { ":one": 1 },
      ReturnValues: "ALL_OLD",
    });
    try {
      const taken = await onConditionFailed(this.#client.send(update), () => undefined);
      return taken && pageItem.parse(taken.Attributes).prekeys[0];
    } catch (error) {
      if (error instanceof TransactionConflictException) return undefined;
      throw error;
    }
  }

  async #read(owner: string): Promise<{ pages: Page[]; last: Prekey | undefined }> {
    const query = {
      TableName: this.#tableName,
      KeyConditionExpression: "#owner = :owner",
      ExpressionAttributeNames: { "#owner": "owner" },
      ExpressionAttributeValues: { ":owner": owner },
      ConsistentRead: true,
    };
    const items: Record<string, unknown>[] = [];
    for await (const { Items = [] } of paginateQuery({ client: this.#client }, query)) items.push(...Items);
    const last = items.find(({ entry }) => entry === lastEntry);
    return {
      pages: items.filter(({ entry }) => entry !== lastEntry).map((item) => pageItem.parse(item)),
      last: last && lastItem.parse(last).prekey,
    };
  }

  /** @param known the page as it was read, revision 0 for none; absent: it is overwritten, whatever it is */
  #putPage(owner: string, entry: string, prekeys: readonly Prekey[], known?: Pick<Page, "revision">): Write {
    if (prekeys.length > longestPage) {
      throw new ApiError("bad-request", {
        message: `A device can have about ${pageCount * longestPage} prekeys`,
      });
    }
    const Item = { owner, entry, prekeys, revision: randomInt(1, 2 ** 40) };
    return {
      item: { Put: { TableName: this.#tableName, Item, ...(known && isAtRevision(known.revision)) } },
      onRejected: () => new StaleReadError(`prekeys of ${owner}`),
    };
  }

  #putLast(owner: string, prekey: Prekey): Write {
    return { item: { Put: { TableName: this.#tableName, Item: { owner, entry: lastEntry, prekey } } } };
  }

  #delete(owner: string, entry: string): Write {
    return { item: { Delete: { TableName: this.#tableName, Key: { owner, entry } } } };
  }
}

/** By the page that they belong to; of several with one id the last counts. */
function sorted(prekeys: readonly Prekey[]): { pages: Map<string, Prekey[]>; last: Prekey | undefined } {
  const byId = new Map(prekeys.map((prekey) => [prekey.id, prekey]));
  const last = byId.get(lastPrekeyId);
  byId.delete(lastPrekeyId);
  return { pages: Map.groupBy(byId.values(), ({ id }) => pageEntry(id % pageCount)), last };
}

/** Oldest first, which is the order in which they are claimed. */
function merged(present: readonly Prekey[], added: readonly Prekey[]): Prekey[] {
  const ids = new Set(added.map(({ id }) => id));
  return [...present.filter(({ id }) => !ids.has(id)), ...added];
}

const oneOf = (entries: readonly string[]): string => entries[randomInt(entries.length)] as string;
