import { countCharacters } from "#shared/platform/count-characters.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { toProviderView } from "#shared/services/provider-view.ts";
import { type Service, type ServiceTag, serviceTag } from "#shared/services/service.ts";
import { inListOrder, startsWith } from "#shared/services/service-order.ts";
import type { Deps } from "../deps.ts";
import { firstPage, type ServicePage } from "../page-of-services.ts";
import { toProfile } from "../schemas.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { providers, services } = deps;
  return {
    "get-services": async ({ query }) => {
      const page = await searchDirectory(deps, query);
      return { body: { has_more: page.hasMore, services: page.services.map(toProfile) } };
    },

    "get-services-tags": async () => ({ body: serviceTag.options }),

    "provider-get-profile": async ({ params }) => {
      const provider = await providers.getActive(params.pid);
      if (provider === undefined) throw new ApiError("provider-not-found");
      return { body: toProviderView(provider) };
    },

    "get-provider-services-by-provider-id": async ({ params }) => ({
      body: (await services.ofProvider(params.pid)).map(toProfile),
    }),

    "get-provider-services-by-provider-id-and-service-id": async ({ params }) => {
      const service = await services.get(params.pid, params.sid);
      if (service === undefined) throw new ApiError("service-not-found");
      return { body: toProfile(service) };
    },
  };
}

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
async function searchDirectory(
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
