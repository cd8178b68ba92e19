import { createHash, randomBytes } from "node:crypto";
import * as z from "zod";
import type { App } from "#shared/oauth/app.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { BasicCredentials } from "#shared/platform/http/request.ts";
import { isSameSecret } from "#shared/platform/secrets/is-same-secret.ts";
import { badRequest } from "./token-request.ts";

/** Last version in which an app must send its secret to refresh or revoke. */
const lastVersionWithSecret = 4;

export const newSecret = () => randomBytes(32).toString("hex");

export const hashSecret = (secret: string) => createHash("sha256").update(secret).digest("hex");

/**
 * Check that a secret is sent if the version requires one; later versions also have public apps, which have none.
 * @throws ApiError `bad-request`
 */
export function requireSecret(secret: string | undefined, version: number): void {
  if (secret === undefined && version <= lastVersionWithSecret)
    throw badRequest("client_secret: required in this version");
}

/** Check the secret, if one is sent. @throws ApiError `wrong-app-secret` */
export function checkSecret(app: App, secret: string | undefined, now: number): void {
  if (secret !== undefined && !hasSecret(app, secret, now)) throw new ApiError("wrong-app-secret");
}

/** Whether the candidate is one of the app's secrets that are still valid; compares with each in constant time. */
function hasSecret({ secrets }: App, candidate: string, now: number): boolean {
  const hash = hashSecret(candidate);
  return secrets
    .filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now)
    .map((secret) => isSameSecret(secret.hash, hash))
    .includes(true);
}

interface Sent {
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
}

/**
 * Serve a request of an app whose id and secret come in the body or by HTTP Basic, never both (RFC 6749 §2.3). Wrong
 * ones by Basic are answered with the error of HTTP.
 *
 * @throws ApiError `bad-request`, `invalid-client`, and those of `serve`
 */
export async function asApp<Body extends Sent, Result>(
  body: Body,
  basic: BasicCredentials | undefined,
  serve: (request: Body & { readonly client_id: string }) => Promise<Result>,
): Promise<Result> {
  const { client_id } = body;
  if (basic === undefined) {
    if (client_id === undefined) throw badRequest("client_id: required unless it is sent by HTTP Basic");
    return serve({ ...body, client_id });
  }
  if (body.client_secret !== undefined) throw badRequest("client_secret: must not be sent twice");
  if (!z.uuid().safeParse(basic.name).success) throw invalidClient();
  if (client_id !== undefined && client_id.toLowerCase() !== basic.name.toLowerCase())
    throw badRequest("client_id: not that of the header");
  const client_secret = basic.password === "" ? undefined : basic.password;
  try {
    return await serve({ ...body, client_id: basic.name.toLowerCase(), client_secret });
  } catch (error) {
    const isWrong = error instanceof ApiError && wrongCredentials.has(error.error);
    throw isWrong ? invalidClient(error) : error;
  }
}

const wrongCredentials: ReadonlySet<string> = new Set(["unknown-app", "wrong-app-secret"]);

export const invalidClient = (cause?: unknown) =>
  new ApiError("invalid-client", {
    headers: { "www-authenticate": 'Basic realm="oauth", charset="UTF-8"' },
    cause,
  });
