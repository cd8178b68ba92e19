import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Item, Table } from "#shared/platform/data/table.ts";
import { type GuestLink, guestLinkItem, guestLinkKey } from "./guest-link.ts";

const itemKey = (key: string) => ({ owner: `code#${key}`, entry: "code" });

/**
 * Guest links, at most one for each conversation. Access patterns: by key; by conversation, from which the key is
 * derived. An expired link counts as unknown.
 */
export class GuestLinkStore {
  readonly #table: Table<"conversations">;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "conversations");
    this.#clock = context.clock;
  }

  async get(key: string): Promise<GuestLink | undefined> {
    return this.#toLink(await this.#table.get(itemKey(key)));
  }

  /** Create a link. Rejected as `StaleReadError` when the conversation has one. */
  create(link: GuestLink): Write {
    const { conversationId, expiresAt } = link;
    return this.#table.putWrite(
      { ...itemKey(guestLinkKey(conversationId)), ...link, purgeAtSeconds: toSeconds(expiresAt) + 1 },
      {
        ConditionExpression: "attribute_not_exists(entry) OR expiresAt <= :now",
        ExpressionAttributeValues: { ":now": this.#clock() },
      },
    );
  }

  /** Condition that a link that was read has neither been removed nor replaced. Rejected as `StaleReadError`. */
  requireCurrent({ conversationId, linkId }: GuestLink): Write {
    return this.#table.requireWrite(itemKey(guestLinkKey(conversationId)), {
      ConditionExpression: "linkId = :linkId",
      ExpressionAttributeValues: { ":linkId": linkId },
    });
  }

  /** Remove the link of a conversation, if there is one. */
  removeOf(conversationId: string): Write {
    return this.#table.deleteWrite(itemKey(guestLinkKey(conversationId)));
  }

  #toLink(item: Item | undefined): GuestLink | undefined {
    const link = item && guestLinkItem.parse(item);
    return link !== undefined && link.expiresAt > this.#clock() ? link : undefined;
  }
}
