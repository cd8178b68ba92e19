import type { Settings } from "#shared/registry/settings.ts";

/** The configuration that an app needs to use this installation. */
export interface DeepLinkConfiguration {
  readonly title: string;
  readonly endpoints: {
    readonly backendURL: string;
    readonly backendWSURL: string;
    readonly blackListURL: string;
    readonly teamsURL: string;
    readonly accountsURL: string;
    readonly websiteURL: string;
  };
}

/** The configuration that apps read; undefined unless the operator has set `deepLink`. */
export function deepLinkConfiguration(
  { deepLink, productName }: Settings,
  publicUrl: string,
): DeepLinkConfiguration | undefined {
  if (deepLink === undefined) return undefined;
  const { blackListURL, teamsURL, accountsURL, websiteURL } = deepLink;
  const backendWSURL = deepLink.backendWSURL ?? publicUrl;
  return {
    title: productName,
    endpoints: { backendURL: publicUrl, backendWSURL, blackListURL, teamsURL, accountsURL, websiteURL },
  };
}

/** Link that opens an app, which then reads the configuration. */
export const deepLinkAddress = (scheme: string, publicUrl: string): string =>
  `${scheme}://access/?${new URLSearchParams({ config: `${publicUrl}/deeplink.json` })}`;
