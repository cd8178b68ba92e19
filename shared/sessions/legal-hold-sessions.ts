import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { Table } from "#shared/platform/data/table.ts";
import { isConnectionOf } from "./cookies.ts";
import { sessionsItem, sessionsKey } from "./session.ts";

/** Sessions of legal hold devices, for those who only check them. Access pattern: all of one device. */
export class LegalHoldSessions {
  readonly #table: Table<"accounts">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "accounts");
  }

  /** Whether the session of a connection has not been ended. */
  async includes(userId: string, connectionId: string): Promise<boolean> {
    const item = await this.#table.get(sessionsKey(userId, true));
    if (item === undefined) return false;
    const { cookies } = sessionsItem.parse(item);
    return Object.values(cookies).some((cookie) => isConnectionOf(cookie, connectionId));
  }
}
