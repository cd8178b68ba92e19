import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { Table } from "#shared/platform/data/table.ts";
import { deviceMarkerKey, userKey } from "../sockets/socket-store.ts";
import { type PushToken, type PushTokens, pushTokensEntry, pushTokensItem } from "./push-token.ts";

const tokensKey = (userId: string) => ({ owner: userKey(userId), entry: pushTokensEntry });

/** Push tokens of users. Access patterns: all of one user; by `SocketStore.ofUser` together with the user's sockets. */
export class PushTokenStore {
  readonly #table: Table<"sockets">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "sockets");
  }

  async get(userId: string): Promise<PushTokens> {
    const item = await this.#table.get(tokensKey(userId));
    return item === undefined ? { userId, revision: 0, tokens: [] } : pushTokensItem.parse(item);
  }

  /** Replace the tokens of a user if they have not changed since they were read. Rejected as `StaleReadError`. */
  put({ userId, revision }: PushTokens, tokens: readonly PushToken[]): Write[] {
    return [
      this.#table.putWrite(
        { ...tokensKey(userId), userId, tokens, revision: revision + 1 },
        { atRevision: revision },
      ),
      // Once is enough: the mark is never removed.
      ...(revision === 0 ? [this.#table.putWrite(deviceMarkerKey(userId))] : []),
    ];
  }

  /** Delete the record of a deleted user, who registers no more tokens, after all tokens. May be repeated. */
  removeRecord(userId: string): Write {
    return this.#table.deleteWrite(tokensKey(userId));
  }
}
