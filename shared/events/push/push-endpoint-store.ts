import * as z from "zod";
import type { Clock } from "#shared/platform/clock.ts";
import { succeeds, type Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";

const pushEndpointItem = storedItem(
  {
    table: "sockets",
    kind: "push-endpoint",
    key: ["endpoint#*", "users"],
    subject: { user: ["userIds"], secrets: ["owner", "endpointArn"] },
  },
  storedObject({
    endpointArn: z.string(),
    /** Increases with every change, and does not restart after the record was deleted. */
    revision: z.int(),
    /** Users who have registered its token, such as several accounts on one phone. */
    userIds: z.array(z.uuid()),
    /** Unix milliseconds until which it is being deleted, because the last of them has left. */
    deletingUntil: z.int().optional(),
  }),
);
export type PushEndpoint = Stored<typeof pushEndpointItem>;

const endpointKey = (endpointArn: string) => ({ owner: `endpoint#${endpointArn}`, entry: "users" });

/** How long nobody can join an endpoint that is being deleted: longer than the call to SNS may take. */
const deletionMilliseconds = 15_000;

/** Endpoints of SNS with the users who share them. Access pattern: by ARN. */
export class PushEndpointStore {
  readonly #table: Table<"sockets">;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "sockets");
    this.#clock = context.clock;
  }

  async get(endpointArn: string): Promise<PushEndpoint> {
    const item = await this.#table.get(endpointKey(endpointArn));
    return item === undefined ? { endpointArn, revision: 0, userIds: [] } : pushEndpointItem.parse(item);
  }

  isBeingDeleted({ deletingUntil = 0 }: PushEndpoint): boolean {
    return deletingUntil > this.#clock();
  }

  /** Replace its users if they have not changed since they were read. Rejected as `StaleReadError`. */
  put(endpoint: PushEndpoint, userIds: readonly string[]): Write {
    return this.#table.putWrite(this.#next(endpoint, { userIds }), { atRevision: endpoint.revision });
  }

  /**
   * Claim an endpoint that nobody uses any more, in order to delete it: for a time, nobody can join it.
   * @returns the claimed endpoint
   * @throws StaleReadError when somebody has joined it, or claimed it
   */
  async claimForDeletion(endpoint: PushEndpoint): Promise<PushEndpoint> {
    const deletingUntil = this.#clock() + deletionMilliseconds;
    const claimed = this.#next(endpoint, { userIds: [], deletingUntil });
    await this.#table.replaceOnce(claimed, endpoint.revision);
    return claimed;
  }

  /** Remove the record of an endpoint that was claimed and deleted, unless another claim has replaced it. */
  async remove({ endpointArn, revision }: PushEndpoint): Promise<void> {
    await succeeds(this.#table.take(endpointKey(endpointArn), { atRevision: revision }));
  }

  #next(
    { deletingUntil: _, ...endpoint }: PushEndpoint,
    facts: { readonly userIds: readonly string[]; readonly deletingUntil?: number },
  ) {
    const next = Math.max(endpoint.revision + 1, this.#clock());
    return {
      ...endpointKey(endpoint.endpointArn),
      ...endpoint,
      ...facts,
      userIds: [...facts.userIds],
      revision: next,
    };
  }
}
