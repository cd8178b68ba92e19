import * as z from "zod";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import {
  type Entry,
  listedTogether,
  type NewestPage,
  newestFirst,
} from "#shared/platform/data/newest-first.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import { toAsciiAddress } from "#shared/platform/email-address.ts";
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
    /** The spelling in mails, because another spelling may be another mailbox with another owner. */
    address: z.string(),
    reason: z.enum(["bounce", "complaint"]),
    /** Unix seconds. */
    expiresAtSeconds: z.int(),
  }),
);
export type Suppression = Stored<typeof suppressionItem>;

/** A suppression, and when it was last reported. */
export type ListedSuppression = Suppression & { readonly reportedAt: string };

const list = "suppression";

const keyOf = (address: string) => ({ address: toAsciiAddress(address) });

/** Addresses that get no mail for a time. Access patterns: by address; by time of the last report, in pages. */
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
    const item = await this.#table.get(keyOf(address));
    const suppression = item && suppressionItem.parseOrAbsent(item);
    return suppression !== undefined && suppression.expiresAtSeconds > toSeconds(this.#clock())
      ? suppression
      : undefined;
  }

  /**
   * One page of the suppressed addresses, the last reported first. One that is lifted or expires meanwhile is left out, so a
   * page may have fewer than `limit`.
   *
   * @returns `last` if another page follows: the entry after which it starts
   */
  async pageOfNewest(
    page: NewestPage,
  ): Promise<{ suppressions: ListedSuppression[]; last: Entry | undefined }> {
    const { entries, last } = await newestFirst(this.#table, [list], page);
    const items = await this.#table.getMany(entries.map(({ id }) => ({ address: id })));
    const now = toSeconds(this.#clock());
    const found = new Map(
      items
        .flatMap((item) => suppressionItem.parseOrAbsent(item) ?? [])
        .filter(({ expiresAtSeconds }) => expiresAtSeconds > now)
        .map((suppression) => [suppression.address, suppression]),
    );
    const suppressions = entries.flatMap(({ id, createdAt }) => {
      const suppression = found.get(id);
      return suppression === undefined ? [] : [{ ...suppression, reportedAt: createdAt }];
    });
    return { suppressions, last };
  }

  /** Lift the suppression of an address. */
  async lift(address: string): Promise<void> {
    await commit(this.#dynamo, { writes: [this.#table.deleteWrite(keyOf(address))] });
  }

  /** Suppress an address from now on; a repetition only extends the time. */
  async suppress({ address, reason }: Pick<Suppression, "address" | "reason">): Promise<void> {
    const now = this.#clock();
    const expiresAtSeconds = toSeconds(now) + this.#settings.mailSuppressionSecs;
    const key = keyOf(address);
    const listing = listedTogether(list, { id: key.address, createdAt: now });
    await this.#table.put({ ...key, reason, expiresAtSeconds, ...listing });
  }
}
