import * as z from "zod";
import type { Clock } from "#shared/platform/clock.ts";
import { onConditionFailed, succeeds } from "#shared/platform/data/conditions.ts";
import type { StoreContext, TableContext } from "#shared/platform/data/store-context.ts";
import { declareItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { type Item, Table } from "#shared/platform/data/table.ts";

/** How long a relay counts as alive after a sign of life; it gives one three times as often. */
export const relayLifeMilliseconds = 30_000;

/** How long after that others remove its items: longer than any pause after which a process can continue. */
const graceMilliseconds = 60_000;

const owner = "relays";

declareItem(
  { table: "sockets", kind: "relay", key: ["relays", "*"], subject: { nobody: "a part of the service" } },
  storedObject({ aliveUntil: z.int(), toClose: z.set(z.string()).optional() }),
);

/** The relays of a stage. Access patterns: one by its id; all, which are few. */
export class RelayStore {
  readonly #table: Table<"sockets">;
  readonly #clock: Clock;

  constructor(context: TableContext & Pick<StoreContext, "clock">) {
    this.#table = new Table(context, "sockets");
    this.#clock = context.clock;
  }

  /** Add a relay, before it creates its queue: so no queue exists without a record. */
  async add(relayId: string): Promise<void> {
    await this.#table.put({ owner, entry: relayId, aliveUntil: this.#clock() + relayLifeMilliseconds });
  }

  /**
   * Record a sign of life of a relay.
   * @param closed sockets that it was asked to close and has closed
   * @returns the sockets that it must close; undefined when others have removed the relay
   */
  async renew(relayId: string, closed: readonly string[]): Promise<string[] | undefined> {
    const renewal = this.#table.update(
      { owner, entry: relayId },
      {
        UpdateExpression: `SET aliveUntil = :until${closed.length > 0 ? " DELETE toClose :closed" : ""}`,
        ConditionExpression: "attribute_exists(entry)",
        ExpressionAttributeValues: {
          ":until": this.#clock() + relayLifeMilliseconds,
          ...(closed.length > 0 && { ":closed": new Set(closed) }),
        },
        ReturnValues: "ALL_NEW",
      },
    );
    const item = await onConditionFailed(renewal, () => undefined);
    return item && [...((item.toClose as Set<string> | undefined) ?? [])];
  }

  async isAlive(relayId: string): Promise<boolean> {
    const item = await this.#table.get({ owner, entry: relayId });
    return item !== undefined && Number(item.aliveUntil) > this.#clock();
  }

  /**
   * Let a relay close a socket at its next sign of life, because its queue cannot be reached.
   * @returns false when there is no such relay
   */
  orderClosing(relayId: string, socketId: string): Promise<boolean> {
    const order = this.#table.update(
      { owner, entry: relayId },
      {
        UpdateExpression: "ADD toClose :sockets",
        ConditionExpression: "attribute_exists(entry)",
        ExpressionAttributeValues: { ":sockets": new Set([socketId]) },
      },
    );
    return succeeds(order);
  }

  /** Ids of relays that have died without removing their items. */
  async dead(): Promise<string[]> {
    const deadSince = this.#clock() - graceMilliseconds;
    return (await this.#read()).filter(({ aliveUntil }) => Number(aliveUntil) < deadSince).map(idOf);
  }

  /** Ids of all relays that have a queue, and of some whose queue is already removed. */
  async all(): Promise<string[]> {
    return (await this.#read()).map(idOf);
  }

  async remove(relayId: string): Promise<void> {
    await this.#table.delete({ owner, entry: relayId });
  }

  async #read(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this.#table.query(owner)) items.push(item);
    return items;
  }
}

const idOf = ({ entry }: Item): string => String(entry);
