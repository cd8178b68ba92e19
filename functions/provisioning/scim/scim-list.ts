import type { Config } from "#shared/platform/config.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { schemaUrns } from "./schemas.ts";

interface Page {
  readonly startIndex: number;
  readonly totalResults: number;
}

/** Shows resources as a list. @param page absent: the resources are complete */
export const toScimList = <Resource>(
  resources: readonly Resource[],
  { startIndex, totalResults }: Page = { startIndex: 1, totalResults: resources.length },
) => ({
  schemas: [schemaUrns.list],
  totalResults,
  itemsPerPage: resources.length,
  startIndex,
  Resources: [...resources],
});

/** Create the address of a resource as directories see it. @param path below `/scim/v2`, with a leading slash */
export function scimLocation(
  { config, settings }: { readonly config: Pick<Config, "publicUrl">; readonly settings: Settings },
  path: string,
): string {
  const { baseUri = `${config.publicUrl}/scim/v2` } = settings.scim;
  return baseUri.replace(/\/$/, "") + path;
}
