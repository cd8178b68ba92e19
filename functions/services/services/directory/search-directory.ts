import { countCharacters } from "#shared/platform/count-characters.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Service } from "#shared/services/service.ts";
import { inListOrder, startsWith } from "#shared/services/service-order.ts";
import type { ServiceTag } from "#shared/services/service-tags.ts";
import type { Deps } from "../deps.ts";
import { firstPage, type ServicePage } from "../page-of-services.ts";

interface Search {
  /** Alternative sets of tags; a service must have all tags of one set. */
  readonly tags?: readonly (readonly ServiceTag[])[];
  /** Beginning of the name. */
  readonly start?: string;
  readonly size: number;
}

/** Longest beginning, in characters. */
const maxStart = 128;

/**
 * Search the directory of services: by the beginning of the name, by tags, or both.
 *
 * @throws ApiError `client-error` without tags and without a beginning, and for a beginning that is longer than any
 * name
 * @see operation `get-services`
 */
export async function searchDirectory(
  { services, settings: { setProviderSearchFilter: onlyProvider } }: Deps,
  { tags, start = "", size }: Search,
): Promise<ServicePage> {
  const isTooShort = tags === undefined && start === "";
  if (isTooShort || countCharacters(start) > maxStart) throw new ApiError("client-error");
  if (onlyProvider !== undefined) {
    const ofProvider = await services.ofProvider(onlyProvider);
    const found = ofProvider.filter(
      (service) => service.isEnabled && startsWith(service, start) && hasTags(service, tags),
    );
    return firstPage(found, size);
  }
  const ids = await services.search({ tags, start, limit: size + 1 });
  const found = await services.getMany(ids.slice(0, size));
  // Some may have been disabled or renamed since their entries were read.
  return { services: inListOrder(found.filter(({ isEnabled }) => isEnabled)), hasMore: ids.length > size };
}

const hasTags = (service: Service, alternatives: Search["tags"]) =>
  alternatives === undefined || alternatives.some((tags) => tags.every((tag) => service.tags.includes(tag)));
