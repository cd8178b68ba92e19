import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { Table } from "#shared/platform/data/table.ts";
import { deviceMarkerKey, pushTokensKey } from "../sockets/socket-store.ts";
import { type PushToken, type PushTokens, pushTokensItem } from "./push-token.ts";

/** Push tokens of a user as they are read, and whether the user is marked as one with device queues or push tokens. */
type CurrentTokens = PushTokens & { readonly isMarked: boolean };

/** Push tokens of users. Access patterns: all of one user; by `SocketStore` together with the user's sockets. */
export class PushTokenStore {
  readonly #table: Table<"sockets">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "sockets");
  }

  async get(userId: string): Promise<CurrentTokens> {
    const [item, marker] = await Promise.all([
      this.#table.get(pushTokensKey(userId)),
      this.#table.get(deviceMarkerKey(userId)),
    ]);
    const tokens = item === undefined ? { userId, revision: 0, tokens: [] } : pushTokensItem.parse(item);
    return { ...tokens, isMarked: marker !== undefined };
  }

  /** Replace the tokens of a user if they have not changed since they were read. Rejected as `StaleReadError`. */
  put({ isMarked, ...current }: CurrentTokens, tokens: readonly PushToken[]): Write[] {
    const { userId, revision } = current;
    const marker = { ...deviceMarkerKey(userId), hasOnlyTokens: true };
    return [
      this.#table.putWrite(
        { ...pushTokensKey(userId), ...current, tokens, revision: revision + 1 },
        { atRevision: revision },
      ),
      // Once is enough: the mark is removed with its user only. Creating a queue meanwhile marks the user, too.
      ...(isMarked
        ? []
        : [this.#table.putWrite(marker, { ConditionExpression: "attribute_not_exists(entry)" })]),
    ];
  }

  /** Delete the record and the mark of a deleted user, who registers no more tokens, after all tokens. May be repeated. */
  removeRecords(userId: string): Write[] {
    return [pushTokensKey(userId), deviceMarkerKey(userId)].map((key) => this.#table.deleteWrite(key));
  }
}
