import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import { type LegalHoldService, legalHoldService } from "./legal-hold-service.ts";

const ownerOf = (teamId: string) => `team#${teamId}`;
const serviceKey = (teamId: string) => ({ owner: ownerOf(teamId), entry: "legal-hold-service" });
const endingKey = (teamId: string) => ({ owner: ownerOf(teamId), entry: "legal-hold-ending" });

/** Legal hold of a team is no longer being ended: another run has finished. */
export class EndAlreadyFinishedError extends Error {
  override readonly name = "EndAlreadyFinishedError";
}

const ending = storedItem(
  {
    table: "teams",
    kind: "legal-hold-ending",
    key: ["team#*", "legal-hold-ending"],
    subject: { team: "partition" },
  },
  storedObject({
    /** Distinguishes it from earlier and later ones. */
    endingId: z.uuid(),
  }),
);

/** Mark that legal hold is being ended for all members of a team. */
export interface Ending extends Stored<typeof ending> {
  readonly teamId: string;
  readonly service: LegalHoldService | undefined;
}

/**
 * The legal hold services of teams. Access pattern: by team.
 *
 * While legal hold is being ended for all members of a team, the team has a mark: the service counts as removed, but
 * must still be told who is no longer under legal hold.
 */
export class LegalHoldServiceStore {
  readonly #table: Table<"teams">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "teams");
  }

  /** The service of a team; none while legal hold of the team is being ended. */
  async get(teamId: string): Promise<LegalHoldService | undefined> {
    const [service, isEnding] = await Promise.all([this.#getService(teamId), this.isEnding(teamId)]);
    return isEnding ? undefined : service;
  }

  /** Whether legal hold of a team is being ended. */
  async isEnding(teamId: string): Promise<boolean> {
    return (await this.#table.get(endingKey(teamId))) !== undefined;
  }

  /** Replaces the service of a team. Combine it with `requireInForce`. */
  put(service: LegalHoldService): Write {
    return this.#table.setFieldsWrite(serviceKey(service.teamId), service);
  }

  /** Condition that legal hold of the team is not being ended. Rejected as `StaleReadError`. */
  requireInForce(teamId: string): Write {
    return this.#table.requireWrite(endingKey(teamId), {
      ConditionExpression: "attribute_not_exists(entry)",
    });
  }

  /** Mark that legal hold is being ended for all members of a team. */
  beginEnd(teamId: string): Write {
    return this.#table.putWrite({ ...endingKey(teamId), endingId: randomUUID() });
  }

  /** The mark that legal hold of a team is being ended, with the service to tell, if any. */
  async getEnding(teamId: string): Promise<Ending | undefined> {
    const [service, mark] = await Promise.all([this.#getService(teamId), this.#table.get(endingKey(teamId))]);
    return mark && { ...ending.parse(mark), teamId, service };
  }

  /** Condition that the mark is still there. Rejected as `EndAlreadyFinishedError`. */
  requireEnding({ teamId, endingId }: Ending): Write {
    return this.#table.requireWrite(endingKey(teamId), hasMark(endingId));
  }

  /** Remove the service and the mark. Rejected as `EndAlreadyFinishedError` when the mark is no longer there. */
  finishEnd({ teamId, endingId }: Ending): Write[] {
    return [
      this.#table.deleteWrite(endingKey(teamId), hasMark(endingId)),
      this.#table.deleteWrite(serviceKey(teamId)),
    ];
  }

  async #getService(teamId: string): Promise<LegalHoldService | undefined> {
    const item = await this.#table.get(serviceKey(teamId));
    return item && legalHoldService.parse(item);
  }
}

const hasMark = (endingId: string) => ({
  ConditionExpression: "endingId = :endingId",
  ExpressionAttributeValues: { ":endingId": endingId },
  onRejected: () => new EndAlreadyFinishedError(`ending ${endingId}`),
});
