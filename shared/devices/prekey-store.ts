import { randomInt } from "node:crypto";
import { TransactionConflictException } from "@aws-sdk/client-dynamodb";
import * as z from "zod";
import {
  onConditionFailed,
  retryStale,
  StaleReadError,
  type Write,
} from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import { TooManyPrekeysError } from "./device.ts";
import { lastPrekeyId, type Prekey, storedPrekey } from "./prekey.ts";

/** Claims spread their writes over this many items per device. Devices number prekeys in turn, so pages grow evenly. */
const pageCount = 16;
const longestPage = 125;

const pageEntry = (page: number) => `prekeys#${String(page).padStart(2, "0")}`;
const allPages = Array.from({ length: pageCount }, (_, page) => pageEntry(page));
const lastEntry = "last";

const pageItem = storedItem(
  { table: "clients", kind: "prekeys", key: ["device#*", "prekeys#*"], subject: { user: "partition" } },
  storedObject({
    entry: z.string(),
    prekeys: z.array(storedPrekey),
    /** Differs after each change; a page that is replaced never gets a revision that it had before. */
    revision: z.int(),
  }),
);
type Page = Stored<typeof pageItem>;

const lastItem = storedItem(
  { table: "clients", kind: "last-prekey", key: ["device#*", "last"], subject: { user: "partition" } },
  storedObject({ prekey: storedPrekey }),
);

/** Names a device. */
export interface DeviceId {
  readonly userId: string;
  readonly clientId: string;
}

const deviceKey = (userId: string, clientId: string) => `device#${userId}#${clientId}`;

/** Prekeys of devices. Access patterns: take one from a page; all of a device. */
export class PrekeyStore {
  readonly #table: Table<"clients">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "clients");
  }

  /**
   * Give a device these prekeys and no others, without a read.
   * @throws TooManyPrekeysError
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
        return inPage === undefined
          ? this.#table.deleteWrite({ owner, entry })
          : this.#putPage(owner, entry, inPage);
      }),
      this.#putLast(owner, lastPrekey),
    ];
  }

  /**
   * Add prekeys to those of a device, replacing any with the same id. Rejected as `StaleReadError` when prekeys of the
   * same pages are claimed or added in the meantime.
   * @throws TooManyPrekeysError
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

  /** Remove all prekeys of a device without a read, so that none added meanwhile is left. */
  async removeAll(userId: string, clientId: string): Promise<Write[]> {
    const owner = deviceKey(userId, clientId);
    return [...allPages, lastEntry].map((entry) => this.#table.deleteWrite({ owner, entry }));
  }

  /** Ids of the remaining prekeys, ascending, including the last-resort one. */
  async ids(userId: string, clientId: string): Promise<number[]> {
    const { pages, last } = await this.#read(deviceKey(userId, clientId));
    const left = [...pages.flatMap(({ prekeys }) => prekeys), ...(last === undefined ? [] : [last])];
    return left.map(({ id }) => id).toSorted((one, other) => one - other);
  }

  /**
   * Take a random prekey, which nobody else gets. When none is left, returns the last-resort one, which stays;
   * undefined when the device has no prekeys at all. Usually one round trip; two or three when prekeys run low.
   * @throws ConflictError when others are faster every time
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

  /**
   * Take a random prekey, which nobody else gets, from each of several distinct devices in a few calls: their pages are
   * read together, and a prekey is taken from each unchanged page.
   *
   * @returns prekeys in the order of the devices; undefined where `claim` has to look further
   */
  async claimOfEach(devices: readonly DeviceId[]): Promise<(Prekey | undefined)[]> {
    const keys = devices.map(({ userId, clientId }) => ({
      owner: deviceKey(userId, clientId),
      entry: oneOf(allPages),
    }));
    const items = await this.#table.getMany(keys);
    const pages = new Map(items.map((item) => [item.owner, pageItem.parse(item)]));
    const candidates = keys.flatMap((key) => {
      const { prekeys: [prekey] = [], revision = 0 } = pages.get(key.owner) ?? {};
      return prekey === undefined ? [] : [{ key, list: "prekeys", revision, prekey }];
    });
    const outcomes = await this.#table.removeFirstOfEach(candidates);
    const taken = new Map(
      candidates
        .filter((_, index) => outcomes[index] === "removed")
        .map(({ key, prekey }) => [key.owner, prekey]),
    );
    return keys.map(({ owner }) => taken.get(owner));
  }

  /** The last-resort prekey, without taking another one; undefined when the device has no prekeys at all. */
  async lastResort(userId: string, clientId: string): Promise<Prekey | undefined> {
    const item = await this.#table.get({ owner: deviceKey(userId, clientId), entry: lastEntry });
    return item && lastItem.parse(item).prekey;
  }

  /** Returns undefined when the page is empty or an upload is changing it. */
  async #take(owner: string, entry: string): Promise<Prekey | undefined> {
    const update = this.#table.update(
      { owner, entry },
      {
        UpdateExpression: "REMOVE prekeys[0] ADD revision :one",
        ConditionExpression: "attribute_exists(prekeys[0])",
        ExpressionAttributeValues: { ":one": 1 },
        ReturnValues: "ALL_OLD",
      },
    );
    try {
      const taken = await onConditionFailed(update, () => undefined);
      return taken && pageItem.parse(taken).prekeys[0];
    } catch (error) {
      if (error instanceof TransactionConflictException) return undefined;
      throw error;
    }
  }

  async #read(owner: string): Promise<{ pages: Page[]; last: Prekey | undefined }> {
    const pages: Page[] = [];
    let last: Prekey | undefined;
    for await (const item of this.#table.query(owner)) {
      if (item.entry === lastEntry) last = lastItem.parse(item).prekey;
      else pages.push(pageItem.parse(item));
    }
    return { pages, last };
  }

  /** @param known the page as it was read, with revision 0 if there was none; absent: overwrite unconditionally */
  #putPage(
    owner: string,
    entry: string,
    prekeys: readonly Prekey[],
    known?: Pick<Page, "revision"> & Partial<Page>,
  ): Write {
    if (prekeys.length > longestPage) {
      throw new TooManyPrekeysError(pageCount * longestPage);
    }
    return this.#table.putWrite(
      { ...known, owner, entry, prekeys, revision: randomInt(1, 2 ** 40) },
      { atRevision: known?.revision },
    );
  }

  #putLast(owner: string, prekey: Prekey): Write {
    return this.#table.putWrite({ owner, entry: lastEntry, prekey });
  }
}

/** Sorts prekeys by the page that they belong to; of several with the same id the last counts. */
function sorted(prekeys: readonly Prekey[]): { pages: Map<string, Prekey[]>; last: Prekey | undefined } {
  const byId = new Map(prekeys.map((prekey) => [prekey.id, prekey]));
  const last = byId.get(lastPrekeyId);
  byId.delete(lastPrekeyId);
  return { pages: Map.groupBy(byId.values(), ({ id }) => pageEntry(id % pageCount)), last };
}

/** Merges prekeys, oldest first: the order in which they are claimed. */
function merged(present: readonly Prekey[], added: readonly Prekey[]): Prekey[] {
  const ids = new Set(added.map(({ id }) => id));
  return [...present.filter(({ id }) => !ids.has(id)), ...added];
}

const oneOf = (entries: readonly string[]): string => entries[randomInt(entries.length)] as string;
