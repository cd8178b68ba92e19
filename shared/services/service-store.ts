import * as z from "zod";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { declareItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import {
  type Service,
  type ServiceId,
  ServiceNotFoundError,
  serviceItem,
  TooManyServicesError,
} from "./service.ts";
import { compareKeys, formerlyLowerCased, lowerCased, sortKeyOf } from "./service-order.ts";

const ownerOf = (providerId: string) => `provider#${providerId}`;
const servicePrefix = "service#";
const serviceKey = ({ providerId, serviceId }: ServiceId) => ({
  owner: ownerOf(providerId),
  entry: `${servicePrefix}${serviceId}`,
});
const countKey = (providerId: string) => ({ owner: ownerOf(providerId), entry: "service-count" });

/** Services whose lower-cased names have the same first character: this spreads the directory over partitions. */
const initialList = (name: string, fold = lowerCased) => `directory#initial#${[...fold(name)][0] ?? ""}`;
/** Services that have all of some tags, and possibly others. */
const tagsList = (tags: readonly string[]) => `directory#tags#${tags.toSorted().join(".")}`;

/** The terms of a search of the directory. */
export interface DirectorySearch {
  /** Prefix of the name, in upper or lower case; not empty without `tags`. */
  readonly start: string;
  /** Alternative sets of tags; a service must have all tags of one set. */
  readonly tags?: readonly (readonly string[])[];
  readonly limit: number;
}

declareItem(
  {
    table: "services",
    kind: "service-count",
    key: ["provider#*|team#*", "service-count"],
    subject: { nobody: "a count" },
  },
  storedObject({ count: z.int() }),
);
declareItem(
  {
    table: "services",
    kind: "directory",
    key: ["directory#*", "*"],
    subject: { nobody: "published by a provider" },
  },
  storedObject({ providerId: z.uuid(), serviceId: z.uuid() }),
);

/**
 * Services of providers, and the directory of those that are enabled. Access patterns: service by provider and id; all
 * services of a provider, whose number is limited by a count; the directory by a prefix of the name, or by combinations
 * of tags and a prefix of the name, in the order of the names.
 *
 * A service is in one list of the directory for its first character and in one for each combination of its tags, so that
 * a search reads no more than it shows. All change in the transaction that changes the service.
 *
 * A service that is being deleted counts as unknown.
 */
export class ServiceStore {
  readonly #table: Table<"services">;
  readonly #maxServices: number;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "services");
    this.#maxServices = context.config.settings.services.maxPerProvider;
  }

  async get(providerId: string, serviceId: string): Promise<Service | undefined> {
    return unlessDeleted(await this.getEvenDeleted({ providerId, serviceId }));
  }

  /** The service even if it is being deleted, for its deletion. */
  async getEvenDeleted(id: ServiceId): Promise<Service | undefined> {
    const item = await this.#table.get(serviceKey(id));
    return item && serviceItem.parse(item);
  }

  /** Services by distinct ids, in any order; unknown ones are left out. */
  async getMany(ids: readonly ServiceId[]): Promise<Service[]> {
    const items = await this.#table.getMany(ids.map(serviceKey));
    return items.map((item) => serviceItem.parse(item)).filter(isKept);
  }

  /** All services of a provider, by id. */
  async ofProvider(providerId: string): Promise<Service[]> {
    return (await this.ofProviderWithDeleted(providerId)).filter(isKept);
  }

  /** All services of a provider, with those that are being deleted. */
  async ofProviderWithDeleted(providerId: string): Promise<Service[]> {
    const items = this.#table.query(ownerOf(providerId), {
      range: "begins_with(entry, :prefix)",
      ExpressionAttributeValues: { ":prefix": servicePrefix },
    });
    const services: Service[] = [];
    for await (const item of items) services.push(serviceItem.parse(item));
    return services;
  }

  /** Search the directory. @returns the first services, in the order of their lower-cased names */
  async search({ start, tags, limit }: DirectorySearch): Promise<ServiceId[]> {
    const lists = tags === undefined ? [initialList(start)] : tags.map(tagsList);
    const prefix = lowerCased(start);
    const pages = await Promise.all(
      [...new Set(lists)].map((list) =>
        this.#table.page(list, {
          Limit: limit,
          ...(prefix !== "" && {
            range: "begins_with(entry, :prefix)",
            ExpressionAttributeValues: { ":prefix": prefix },
          }),
        }),
      ),
    );
    const found = new Map(pages.flatMap(({ Items = [] }) => Items.map((item) => [String(item.entry), item])));
    return [...found.keys()]
      .toSorted(compareKeys)
      .slice(0, limit)
      .map((entry) => toServiceId(found.get(entry)));
  }

  /** Create a service, which is not enabled. Rejected as `TooManyServicesError`. */
  create(created: Omit<Service, "revision">): Write[] {
    const { providerId } = created;
    describeAudited({ target: { sid: created.serviceId } });
    return [
      this.#put(created, 0),
      this.#table.updateWrite(countKey(providerId), {
        UpdateExpression: "ADD #count :one",
        ConditionExpression: "attribute_not_exists(#count) OR #count < :max",
        ExpressionAttributeNames: { "#count": "count" },
        ExpressionAttributeValues: { ":one": 1, ":max": this.#maxServices },
        onRejected: () => new TooManyServicesError(`provider ${providerId}`),
      }),
    ];
  }

  /** Replace a service and its entries in the directory. Rejected as `StaleReadError`. */
  replace({ revision, ...previous }: Service, next: Omit<Service, "revision">): Write[] {
    const [former, composed, after] = [
      entriesOf(previous, formerlyLowerCased),
      entriesOf(previous),
      entriesOf(next),
    ];
    const before = new Map([...former, ...composed]);
    const isCertain = before.size === composed.size;
    return [
      this.#put(next, revision),
      ...[...before].filter(([name]) => !after.has(name)).map(([, key]) => this.#table.deleteWrite(key)),
      ...[...after]
        .filter(([name]) => !isCertain || !before.has(name))
        .map(([, key]) => this.#table.putWrite({ ...key, ...toServiceId(next) })),
    ];
  }

  /** Mark a service as being deleted, and remove it from the directory. Rejected as `StaleReadError`. */
  beginDeletion(service: Service): Write[] {
    return this.replace(service, { ...service, isEnabled: false, isBeingDeleted: true });
  }

  /** Remove a service that is being deleted, once nothing else is left of it. Rejected as `StaleReadError`. */
  finishDeletion(service: Service): Write[] {
    return [
      this.#table.deleteWrite(serviceKey(service), { atRevision: service.revision }),
      this.#table.updateWrite(countKey(service.providerId), {
        UpdateExpression: "ADD #count :minusOne",
        ExpressionAttributeNames: { "#count": "count" },
        ExpressionAttributeValues: { ":minusOne": -1 },
      }),
    ];
  }

  /** Remove the count of a provider's services, with the provider. */
  removeCount(providerId: string): Write {
    return this.#table.deleteWrite(countKey(providerId));
  }

  /** Condition that a service exists and is not being deleted. Rejected as `ServiceNotFoundError`. */
  requirePresent(id: ServiceId): Write {
    return this.#table.requireWrite(serviceKey(id), {
      ConditionExpression: "attribute_exists(entry) AND attribute_not_exists(isBeingDeleted)",
      onRejected: () => new ServiceNotFoundError(id.serviceId),
    });
  }

  /** Condition that a service is enabled. Rejected as `StaleReadError`. */
  requireEnabled(id: ServiceId): Write {
    return this.#table.requireWrite(serviceKey(id), {
      ConditionExpression: "isEnabled = :true",
      ExpressionAttributeValues: { ":true": true },
    });
  }

  #put(next: Omit<Service, "revision">, revision: number): Write {
    return this.#table.putWrite(
      { ...serviceKey(next), ...next, revision: revision + 1 },
      { atRevision: revision },
    );
  }
}

const isKept = ({ isBeingDeleted }: Service) => isBeingDeleted === undefined;
const unlessDeleted = (service: Service | undefined) =>
  service !== undefined && isKept(service) ? service : undefined;

const toServiceId = (item: Partial<Record<keyof ServiceId, unknown>> = {}): ServiceId => ({
  providerId: String(item.providerId),
  serviceId: String(item.serviceId),
});

/** Keys of a service's entries in the directory, each under a name of its own. */
function entriesOf(
  service: Omit<Service, "revision">,
  fold = lowerCased,
): Map<string, { owner: string; entry: string }> {
  if (!service.isEnabled) return new Map();
  const entry = sortKeyOf(service, fold);
  const lists = [initialList(service.name, fold), ...combinationsOf(service.tags).map(tagsList)];
  return new Map(lists.map((owner) => [`${owner} ${entry}`, { owner, entry }]));
}

/** All combinations of some tags, but not of none: seven of three. */
function combinationsOf(tags: readonly string[]): string[][] {
  const combinations: string[][] = [];
  for (const tag of new Set(tags))
    combinations.push([tag], ...combinations.map((others) => [...others, tag]));
  return combinations;
}
