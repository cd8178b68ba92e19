import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import { onConditionFailed } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { Table } from "#shared/platform/data/table.ts";
import { type BotBacklog, botBacklogItem } from "./bot-backlog.ts";

/** How long a bot without events is remembered. */
const keepSeconds = 7 * 86_400;

/**
 * Bots whose events wait in the queue for slow and failing ones. Access pattern: by bot, together with its service.
 *
 * An event goes to that queue only after it has been noted as the last one there, and only the worker that has
 * delivered that event removes the note. So an event for which there is no note has no others before it.
 */
export class BotBacklogStore {
  readonly #table: Table<"services">;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "services");
    this.#clock = context.clock;
  }

  async get(botId: string): Promise<BotBacklog | undefined> {
    const item = await this.#table.get(this.#key(botId));
    return item && botBacklogItem.parse(item);
  }

  /** Note the last event that is about to go to the queue. May be repeated. */
  async note(botId: string, lastEventId: string): Promise<void> {
    await this.#table.update(this.#key(botId), {
      UpdateExpression:
        "SET botId = :bot, lastEventId = :last, failures = if_not_exists(failures, :none), purgeAtSeconds = :purge",
      ExpressionAttributeValues: {
        ":bot": botId,
        ":last": lastEventId,
        ":none": 0,
        ":purge": this.#purgeAtSeconds(),
      },
    });
  }

  /** Store the health of a bot, if it has a backlog. */
  async rate({
    botId,
    failures,
    restsUntil,
    serviceRevision,
  }: Omit<BotBacklog, "lastEventId" | "serviceRevision" | "restsUntil"> &
    Required<Pick<BotBacklog, "serviceRevision" | "restsUntil">>): Promise<void> {
    const update = this.#table.update(this.#key(botId), {
      UpdateExpression:
        "SET failures = :failures, restsUntil = :rests, serviceRevision = :revision, purgeAtSeconds = :purge",
      ConditionExpression: "attribute_exists(entry)",
      ExpressionAttributeValues: {
        ":failures": failures,
        ":rests": restsUntil,
        ":revision": serviceRevision,
        ":purge": this.#purgeAtSeconds(),
      },
    });
    await onConditionFailed(update, () => undefined);
  }

  /** Forget the backlog of a bot, unless another event has followed the one that was the last. */
  async remove({ botId, lastEventId }: Pick<BotBacklog, "botId" | "lastEventId">): Promise<void> {
    const removal = this.#table.take(this.#key(botId), {
      ConditionExpression: "lastEventId = :last",
      ExpressionAttributeValues: { ":last": lastEventId },
    });
    await onConditionFailed(removal, () => undefined);
  }

  #key(botId: string) {
    return { owner: `bot#${botId}`, entry: "backlog#slow-bot-events" };
  }

  #purgeAtSeconds(): number {
    return toSeconds(this.#clock()) + keepSeconds;
  }
}
