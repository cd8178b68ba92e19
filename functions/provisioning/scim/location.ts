import type { Config } from "#shared/platform/config.ts";
import type { Settings } from "#shared/registry/settings.ts";

/** Create the address of a resource as directories see it. @param path below `/scim/v2`, with a leading slash */
export function scimLocation(
  { config, settings }: { readonly config: Pick<Config, "publicUrl">; readonly settings: Settings },
  path: string,
): string {
  const { baseUri = `${config.publicUrl}/scim/v2` } = settings.scim;
  return baseUri.replace(/\/$/, "") + path;
}
