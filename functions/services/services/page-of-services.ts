import type { Service } from "#shared/services/service.ts";
import { inListOrder } from "#shared/services/service-order.ts";

/** A page of a list of services, in the order of their lower-cased names. */
export interface ServicePage {
  readonly services: readonly Service[];
  readonly hasMore: boolean;
}

/** The first page of a list that was read as a whole. */
export function firstPage(services: readonly Service[], size: number): ServicePage {
  return { services: inListOrder(services).slice(0, size), hasMore: services.length > size };
}
