import { randomUUID } from "node:crypto";
import { retryStale, StaleReadError } from "#shared/data/conditions.ts";
import type { OAuthClient } from "#shared/data/oauth/oauth-client.ts";
import { ApiError } from "#shared/errors.ts";
import { hashSecret, newSecret } from "./client-secret.ts";
import type { Deps } from "./deps.ts";

interface ClientDescription {
  readonly application_name: string;
  readonly redirect_url: string;
}

/** An app and its secret, which is told only now. */
interface Credentials {
  readonly clientId: string;
  readonly secret: string;
}

/** @see operation `i-create-oauth-client` */
export async function createClient(
  { clients, clock }: Deps,
  { application_name, redirect_url }: ClientDescription,
): Promise<Credentials> {
  const clientId = randomUUID();
  const secret = newSecret();
  await clients.create({
    clientId,
    applicationName: application_name,
    redirectUrl: redirect_url,
    secrets: [{ hash: hashSecret(secret) }],
    createdAt: clock(),
  });
  return { clientId, secret };
}

/** @throws ApiError `not-found` */
export async function getClient({ clients }: Deps, clientId: string): Promise<OAuthClient> {
  const client = await clients.get(clientId);
  if (client === undefined) throw new ApiError("not-found");
  return client;
}

/** Id and secrets stay. @throws ApiError `not-found` */
export async function updateClient(
  { clients }: Deps,
  clientId: string,
  { application_name, redirect_url }: ClientDescription,
): Promise<OAuthClient> {
  const description = { applicationName: application_name, redirectUrl: redirect_url };
  const changed = await clients.describe(clientId, description);
  if (changed === undefined) throw new ApiError("not-found");
  return changed;
}

/**
 * Give an app a new secret beside the newest one it has, which ends after `setOAuthSecretOverlapSecs`.
 * @throws ApiError `not-found`, `concurrent-change`
 */
export async function rotateSecret(deps: Deps, clientId: string): Promise<Credentials> {
  const { clients, clock, settings } = deps;
  const secret = newSecret();
  const expiresAt = clock() + settings.setOAuthSecretOverlapSecs * 1000;
  await retryStale(async () => {
    const client = await getClient(deps, clientId);
    const previous = client.secrets.slice(0, 1).map((entry) => ({ ...entry, expiresAt }));
    const changed = await clients.replaceSecrets(client, [{ hash: hashSecret(secret) }, ...previous]);
    if (changed === undefined) throw new StaleReadError(`secrets of app ${clientId}`);
  });
  return { clientId, secret };
}
