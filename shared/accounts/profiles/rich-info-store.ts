import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Item, Table } from "#shared/platform/data/table.ts";
import { type RichInfo, richInfo } from "./rich-info.ts";

const userPrefix = "user#";
const richInfoEntry = "rich-info";
const richInfoKey = (userId: string) => ({ pk: `${userPrefix}${userId}`, sk: richInfoEntry });

/** Rich info of users, in the table of their accounts. Access patterns: by user id; of several users. */
export class RichInfoStore {
  readonly #table: Table<"accounts">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "accounts");
  }

  async get(userId: string): Promise<RichInfo | undefined> {
    const item = await this.#table.get(richInfoKey(userId));
    return item && richInfo.parse(item);
  }

  /** Keys of rich info, for a batch read together with accounts. */
  keys = (userIds: readonly string[]) => userIds.map(richInfoKey);

  /** Rich info by user id, among the items of a batch read of `keys`. */
  allIn(items: readonly Item[]): Map<string, RichInfo> {
    const found = items.filter(({ sk }) => sk === richInfoEntry);
    return new Map(found.map((item) => [String(item.pk).slice(userPrefix.length), richInfo.parse(item)]));
  }

  /** Store rich info; needs the condition that its user is not deleted, or it could outlive the erasure. */
  put(userId: string, { version, fields }: RichInfo): Write {
    return this.#table.putWrite({ ...richInfoKey(userId), version, fields });
  }

  async remove(userId: string): Promise<void> {
    await this.#table.delete(richInfoKey(userId));
  }
}
