import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { Table } from "#shared/platform/data/table.ts";
import { type RichInfo, richInfoItem } from "./rich-info.ts";

const richInfoKey = (userId: string) => ({ pk: `user#${userId}`, sk: "rich-info" });

/** Rich info of users, in the table of their accounts. Access patterns: by user id; of several users. */
export class RichInfoStore {
  readonly #table: Table<"accounts">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "accounts");
  }

  async get(userId: string): Promise<RichInfo | undefined> {
    const item = await this.#table.get(richInfoKey(userId));
    return item && richInfoItem.parse(item);
  }

  /** Rich info by user id; users without rich info are left out. */
  async getMany(userIds: readonly string[]): Promise<Map<string, RichInfo>> {
    const found = await Promise.all(userIds.map(async (userId) => [userId, await this.get(userId)] as const));
    return new Map(found.flatMap(([userId, info]) => (info === undefined ? [] : [[userId, info]])));
  }

  /** Store rich info; needs the condition that its user is not deleted, or it could outlive the erasure. */
  put(userId: string, { version, fields }: RichInfo): Write {
    return this.#table.setFieldsWrite(richInfoKey(userId), { version, fields });
  }

  async remove(userId: string): Promise<void> {
    await this.#table.delete(richInfoKey(userId));
  }
}
