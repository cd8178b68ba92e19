import type { Config } from "#shared/platform/config.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";

interface Deps {
  readonly config: Pick<Config, "publicUrl">;
  readonly settings: Settings;
}

type Configured = Settings["saml"]["serviceProvider"];

/** How the service presents itself to identity providers on one host. */
export interface ServiceProvider extends Configured {
  /** Address of `/sso`, without trailing slash. */
  readonly spSsoUri: string;
}

/** The configured host of the request; undefined on other hosts, and with one service provider for all hosts. */
export const boundHost = (host: string, { settings }: Pick<Deps, "settings">): string | undefined =>
  findByHost(host, settings) && host;

/**
 * Find the service provider that answers on a host.
 * @throws ApiError `not-found` when there are several, and none for this host
 */
export function serviceProviderAt(host: string, { config, settings }: Deps): ServiceProvider {
  const { serviceProvider, serviceProvidersByHost } = settings.saml;
  const found = serviceProvidersByHost === undefined ? serviceProvider : findByHost(host, settings);
  if (found === undefined) throw new ApiError("not-found");
  const { spSsoUri = `${config.publicUrl}/sso` } = found;
  return { ...found, spSsoUri: spSsoUri.replace(/\/$/, "") };
}

/**
 * Create the entity id of a service provider, which is also the address for responses.
 * @param teamId absent: the one for all teams, used by identity providers of version 1
 */
export const entityIdOf = ({ spSsoUri }: ServiceProvider, teamId?: string): string =>
  [`${spSsoUri}/finalize-login`, ...(teamId === undefined ? [] : [teamId])].join("/");

const findByHost = (host: string, { saml }: Settings): Configured | undefined =>
  Object.entries(saml.serviceProvidersByHost ?? {}).find(([name]) => name.toLowerCase() === host)?.[1];
