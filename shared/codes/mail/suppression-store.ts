import * as z from "zod";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import { commit } from "#shared/platform/messaging/change.ts";
import type { Settings } from "#shared/registry/settings.ts";

const suppressionItem = storedItem(
  {
    table: "mail-suppressions",
    kind: "suppression",
    key: ["*"],
    subject: { user: ["address"], remains: "protects a mailbox, until it expires" },
  },
  storedObject({
    /** As mails spell it: another spelling may be another mailbox, and who owns that says nothing about this one. */
    address: z.string(),
    reason: z.enum(["bounce", "complaint"]),
    /** Unix seconds. */
    expiresAtSeconds: z.int(),
  }),
);
export type Suppression = Stored<typeof suppressionItem>;

/** Addresses that get no mail for a time. Access pattern: by address. */
export class SuppressionStore {
  readonly #table: Table<"mail-suppressions">;
  readonly #dynamo: StoreContext["dynamo"];
  readonly #settings: Settings;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "mail-suppressions");
    this.#dynamo = context.dynamo;
    this.#settings = context.config.settings;
    this.#clock = context.clock;
  }

  async isSuppressed(address: string): Promise<boolean> {
    return (await this.get(address)) !== undefined;
  }

  /** @returns undefined for an address that gets mail */
  async get(address: string): Promise<Suppression | undefined> {
    const item = await this.#table.get({ address });
    const suppression = item && suppressionItem.parseOrAbsent(item);
    return suppression !== undefined && suppression.expiresAtSeconds > toSeconds(this.#clock())
      ? suppression
      : undefined;
  }

  /** Let an address get mail again. */
  async lift(address: string): Promise<void> {
    await commit(this.#dynamo, { writes: [this.#table.deleteWrite({ address })] });
  }

  /** Suppress an address from now on; a repetition only extends the time. */
  async suppress({ address, reason }: Pick<Suppression, "address" | "reason">): Promise<void> {
    const expiresAtSeconds = toSeconds(this.#clock()) + this.#settings.mailSuppressionSecs;
    await this.#table.put({ address, reason, expiresAtSeconds } satisfies Suppression);
  }
}
