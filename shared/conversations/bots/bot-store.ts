import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { Table } from "#shared/platform/data/table.ts";
import { type Bot, botItem } from "./bot.ts";

/** Identifies the bots of a service. */
type ServiceKey = Pick<Bot, "providerId" | "serviceId">;

const listOf = ({ providerId, serviceId }: ServiceKey) => `bots#${providerId}#${serviceId}`;
/** Bots in conversations without a team are stored under a name that is no id. */
const teamPrefix = (teamId = "-") => `bot#${teamId}#`;
const botKey = (bot: Omit<Bot, "conversationId">) => ({
  owner: listOf(bot),
  entry: `${teamPrefix(bot.teamId)}${bot.botId}`,
});

/**
 * Bots by their services. Access patterns: bots of a service; those of a service in conversations of a team. A bot's
 * account, membership and row are written in one transaction.
 */
export class BotStore {
  readonly #table: Table<"services">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "services");
  }

  /** All bots of a service, page by page; bots may be removed meanwhile. */
  async *ofService(service: ServiceKey): AsyncGenerator<Bot> {
    for await (const item of this.#table.query(listOf(service))) yield botItem.parse(item);
  }

  /** The bots of a service in the conversations of a team, page by page; bots may be removed meanwhile. */
  async *ofServiceInTeam(service: ServiceKey, teamId: string): AsyncGenerator<Bot> {
    const bots = this.#table.query(listOf(service), {
      range: "begins_with(entry, :team)",
      ExpressionAttributeValues: { ":team": teamPrefix(teamId) },
    });
    for await (const item of bots) yield botItem.parse(item);
  }

  create(bot: Bot): Write {
    return this.#table.putWrite({ ...botKey(bot), ...bot });
  }

  /** Remove a bot from the list of its service. May be repeated. */
  remove(bot: Omit<Bot, "conversationId">): Write {
    return this.#table.deleteWrite(botKey(bot));
  }
}
