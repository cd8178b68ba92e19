import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { App } from "#shared/oauth/app.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { hashSecret, newSecret } from "./client-secret.ts";
import type { Deps } from "./deps.ts";
import { appCursor } from "./schemas.ts";

interface AppDescription {
  readonly application_name: string;
  readonly redirect_url: string;
  readonly further_redirect_urls?: readonly string[] | undefined;
}

/** Id of an app, and its secret, which is shown only once. */
interface Credentials {
  readonly appId: string;
  readonly secret: string;
}

const toApp = ({ application_name, redirect_url, further_redirect_urls = [] }: AppDescription) => ({
  applicationName: application_name,
  redirectUrl: redirect_url,
  ...(further_redirect_urls.length > 0 && { furtherRedirectUrls: [...further_redirect_urls] }),
});

/** Register an app. @see operation `i-create-oauth-client` */
export async function createApp(deps: Deps, description: AppDescription): Promise<Credentials> {
  const { apps, clock } = deps;
  const appId = randomUUID();
  const secret = newSecret();
  const app = {
    clientId: appId,
    ...toApp(description),
    secrets: [{ hash: hashSecret(secret) }],
    createdAt: clock(),
  };
  await change(deps, async () => ({ writes: apps.create(app) }));
  return { appId, secret };
}

/** Find an app. @throws ApiError `not-found` */
export async function getApp({ apps }: Deps, appId: string): Promise<App> {
  const app = await apps.get(appId);
  if (app === undefined) throw new ApiError("not-found");
  return app;
}

/** List one page of the apps. @returns `next`: where the next page starts @see operation `i-list-oauth-clients` */
export async function listApps(
  { apps: store }: Deps,
  page: { limit: number; after: string | undefined },
): Promise<{ apps: App[]; next?: string }> {
  const { apps, last } = await store.page(page);
  return { apps, ...(last !== undefined && { next: z.encode(appCursor, { after: last }) }) };
}

/** Remove an app. @throws ApiError `not-found` */
export async function removeApp(deps: Deps, appId: string): Promise<void> {
  const { clientId } = await getApp(deps, appId);
  await change(deps, async () => ({ writes: deps.apps.remove(clientId) }));
}

/** Replace the name and the redirect URLs of an app; id and secrets stay. @throws ApiError `not-found` */
export async function updateApp(deps: Deps, appId: string, wanted: AppDescription): Promise<App> {
  const description = toApp(wanted);
  return change(deps, async () => {
    const app = await getApp(deps, appId);
    return {
      writes: [deps.apps.describe(appId, description)],
      result: { ...app, furtherRedirectUrls: undefined, ...description },
    };
  });
}

/**
 * Give an app a new secret; of its current ones, the newest stays valid for `setOAuthSecretOverlapSecs`.
 * @throws ApiError `not-found`, `concurrent-change`
 */
export async function rotateSecret(deps: Deps, appId: string): Promise<Credentials> {
  const { apps, clock, settings } = deps;
  const secret = newSecret();
  const expiresAt = clock() + settings.setOAuthSecretOverlapSecs * 1000;
  await change(deps, async () => {
    const app = await getApp(deps, appId);
    const previous = app.secrets.slice(0, 1).map((entry) => ({ ...entry, expiresAt }));
    return { writes: [apps.replaceSecrets(app, [{ hash: hashSecret(secret) }, ...previous])] };
  });
  return { appId, secret };
}
