import { randomUUID } from "node:crypto";
import * as z from "zod";
import { StaleReadError, type Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { findItem, type Item, Table } from "#shared/platform/data/table.ts";
import { type LegalHoldService, legalHoldService } from "./legal-hold-service.ts";

const ownerOf = (teamId: string) => `team#${teamId}`;
const serviceKey = (teamId: string) => ({ owner: ownerOf(teamId), entry: "legal-hold-service" });
const endingKey = (teamId: string) => ({ owner: ownerOf(teamId), entry: "legal-hold-ending" });

/** An end of legal hold for all members of a team that is under way. */
export interface Ending {
  readonly teamId: string;
  readonly endingId: string;
  /** Of which it is told; undefined when the team has none. */
  readonly service: LegalHoldService | undefined;
}

const endingMark = z.object({ endingId: z.uuid() });

/** Somebody else has ended legal hold of the team: what is there now has been built up afterwards. */
export class EndingFinishedError extends Error {
  override readonly name = "EndingFinishedError";
}

/**
 * The legal hold services of teams. Access pattern: by team.
 *
 * While legal hold is being ended for all members of a team, a mark beside the service says so: the service counts as
 * removed, but is still needed to tell it who is no longer under legal hold.
 */
export class LegalHoldServiceStore {
  readonly #table: Table<"teams">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "teams");
  }

  /** The service of a team; none while legal hold of the team is being ended. */
  async get(teamId: string): Promise<LegalHoldService | undefined> {
    return this.serviceOf(teamId, await this.#table.getMany(this.keys(teamId)));
  }

  /** Keys of what `serviceOf` needs, for a batch read together with the team. */
  keys = (teamId: string) => [serviceKey(teamId), endingKey(teamId)];

  /** Whether legal hold of a team is being ended, by the items of a batch read of `keys`. */
  isEnding = (teamId: string, items: readonly Item[]): boolean =>
    findItem(items, endingKey(teamId)) !== undefined;

  /** Find the service of a team among the items of a batch read of `keys`. */
  serviceOf = (teamId: string, items: readonly Item[]): LegalHoldService | undefined =>
    this.isEnding(teamId, items) ? undefined : toService(findItem(items, serviceKey(teamId)));

  /** Replaces the service of a team. Combine it with `requireInForce`. */
  put(service: LegalHoldService): Write {
    return this.#table.putWrite({ ...serviceKey(service.teamId), ...service });
  }

  /** Condition that legal hold of the team is not being ended. Rejected as `StaleReadError`. */
  requireInForce(teamId: string): Write {
    return this.#table.requireWrite(endingKey(teamId), {
      ConditionExpression: "attribute_not_exists(entry)",
      onRejected: () => new StaleReadError(`legal hold of team ${teamId}`),
    });
  }

  /** Mark that legal hold is being ended for all members of a team. */
  beginEnd(teamId: string): Write {
    return this.#table.putWrite({ ...endingKey(teamId), endingId: randomUUID() });
  }

  /** Whether legal hold of a team is being ended, and by which service, if there is one. */
  async getEnding(teamId: string): Promise<Ending | undefined> {
    const items = await this.#table.getMany(this.keys(teamId));
    const mark = findItem(items, endingKey(teamId));
    if (mark === undefined) return undefined;
    const { endingId } = endingMark.parse(mark);
    return { teamId, endingId, service: toService(findItem(items, serviceKey(teamId))) };
  }

  /** Condition that this end of legal hold has not come to its end. Rejected as `EndingFinishedError`. */
  requireEnding({ teamId, endingId }: Ending): Write {
    return this.#table.requireWrite(endingKey(teamId), isEnding(endingId));
  }

  /** Remove the service, and the mark that legal hold is being ended. Rejected as `EndingFinishedError`. */
  finishEnd({ teamId, endingId }: Ending): Write[] {
    return [
      this.#table.deleteWrite(serviceKey(teamId)),
      this.#table.deleteWrite(endingKey(teamId), isEnding(endingId)),
    ];
  }
}

const isEnding = (endingId: string) => ({
  ConditionExpression: "endingId = :ending",
  ExpressionAttributeValues: { ":ending": endingId },
  onRejected: () => new EndingFinishedError(),
});

const toService = (item: Item | undefined): LegalHoldService | undefined =>
  item && legalHoldService.parse(item);
