import * as z from "zod";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { declareItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import { type ServiceId, TooManyServicesError } from "./service.ts";

const teamOwner = (teamId: string) => `team#${teamId}`;
const servicePrefix = "service#";
const listingKey = (teamId: string, { serviceId }: Pick<ServiceId, "serviceId">) => ({
  owner: teamOwner(teamId),
  entry: `${servicePrefix}${serviceId}`,
});
const countKey = (teamId: string) => ({ owner: teamOwner(teamId), entry: "service-count" });
const serviceOwner = (serviceId: string) => `listing#${serviceId}`;
const teamPrefix = "team#";
/** Entry by which the teams that list a service are found. */
const reverseKey = (teamId: string, { serviceId }: Pick<ServiceId, "serviceId">) => ({
  owner: serviceOwner(serviceId),
  entry: `${teamPrefix}${teamId}`,
});
const startingWith = (prefix: string) => ({
  range: "begins_with(entry, :prefix)",
  ExpressionAttributeValues: { ":prefix": prefix },
});

declareItem(
  { table: "services", kind: "admitted", key: ["team#*", "service#*"], subject: { team: "partition" } },
  storedObject({ providerId: z.uuid(), serviceId: z.uuid() }),
);
declareItem(
  {
    table: "services",
    kind: "listing",
    key: ["listing#*", "team#*"],
    subject: { nobody: "leads to the teams that admit a service" },
  },
  storedObject({}),
);

/**
 * The services that teams admit to their conversations. Access patterns: by team and service; all services of a team,
 * whose number is limited by a count; all teams that admit a service. Names are not stored: a service with a new name
 * would have to be found in the lists of all teams.
 */
export class ServiceWhitelistStore {
  readonly #table: Table<"services">;
  readonly #maxServices: number;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "services");
    this.#maxServices = context.config.settings.services.maxPerTeam;
  }

  async isAdmitted(teamId: string, service: ServiceId): Promise<boolean> {
    const item = await this.#table.get(listingKey(teamId, service));
    return item?.providerId === service.providerId;
  }

  /** All services that a team admits, by id. */
  async ofTeam(teamId: string): Promise<ServiceId[]> {
    const items = this.#table.query(teamOwner(teamId), startingWith(servicePrefix));
    const services: ServiceId[] = [];
    for await (const { providerId, serviceId } of items)
      services.push({ providerId: String(providerId), serviceId: String(serviceId) });
    return services;
  }

  /** Ids of all teams that admit a service, page by page. */
  async *teamsWith(serviceId: string): AsyncGenerator<string> {
    for await (const { entry } of this.#table.query(serviceOwner(serviceId), startingWith(teamPrefix)))
      yield String(entry).slice(teamPrefix.length);
  }

  /** Add a service to a team's list. Rejected as `StaleReadError` when it is there, and as `TooManyServicesError`. */
  add(teamId: string, { providerId, serviceId }: ServiceId): Write[] {
    return [
      this.#table.putWrite(
        { ...listingKey(teamId, { serviceId }), providerId, serviceId },
        { ConditionExpression: "attribute_not_exists(entry)" },
      ),
      this.#table.putWrite(reverseKey(teamId, { serviceId })),
      this.#table.updateWrite(countKey(teamId), {
        UpdateExpression: "ADD #count :one",
        ConditionExpression: "attribute_not_exists(#count) OR #count < :max",
        ExpressionAttributeNames: { "#count": "count" },
        ExpressionAttributeValues: { ":one": 1, ":max": this.#maxServices },
        onRejected: () => new TooManyServicesError(`team ${teamId}`),
      }),
    ];
  }

  /** Remove a service from a team's list. Rejected as `StaleReadError` when it is not there. */
  remove(teamId: string, { serviceId }: Pick<ServiceId, "serviceId">): Write[] {
    return [
      this.#table.deleteWrite(listingKey(teamId, { serviceId }), {
        ConditionExpression: "attribute_exists(entry)",
      }),
      this.removeReverse(teamId, serviceId),
      this.#table.updateWrite(countKey(teamId), {
        UpdateExpression: "ADD #count :minusOne",
        ExpressionAttributeNames: { "#count": "count" },
        ExpressionAttributeValues: { ":minusOne": -1 },
      }),
    ];
  }

  /** Remove the entry by which a service finds a team that no longer lists it. */
  removeReverse(teamId: string, serviceId: string): Write {
    return this.#table.deleteWrite(reverseKey(teamId, { serviceId }));
  }

  /**
   * Remove the whole list of a team that is being deleted, to which nothing can be added. The entries by which the
   * others are found are removed last, for a repetition.
   */
  async removeAllOf(teamId: string): Promise<void> {
    const services = await this.ofTeam(teamId);
    await this.#table.deleteMany(services.map((service) => reverseKey(teamId, service)));
    await this.#table.deleteMany(services.map((service) => listingKey(teamId, service)));
    await this.#table.delete(countKey(teamId));
  }

  /** Condition that a team admits a service. Rejected as `StaleReadError`. */
  requireAdmitted(teamId: string, service: ServiceId): Write {
    return this.#table.requireWrite(listingKey(teamId, service), {
      ConditionExpression: "attribute_exists(entry)",
    });
  }
}
