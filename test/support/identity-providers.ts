import { type Api, type ApiAnswer, api, internalApi } from "./api.ts";
import { newIdentityProvider, type TestIdentityProvider } from "./saml.ts";
import type { SeededProfile } from "./seeded-users.ts";
import { newTeam, type Team } from "./teams.ts";
import type { Apis, User } from "./users.ts";

/** Create a team with the feature `sso`. */
export async function newSsoTeam(apis?: Apis): Promise<Team> {
  const team = await newTeam({}, apis);
  const path = `/i/teams/${team.id}/features/sso`;
  const { status } = await (apis?.internalApi ?? internalApi)("PUT", path, { json: { status: "enabled" } });
  if (status !== 200) throw new Error(`Enabling single sign-on was answered ${status}`);
  return team;
}

export interface UploadOptions {
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly publicApi?: Api;
  /** Such as `/v7`. */
  readonly version?: string;
}

const upload = (
  method: string,
  path: string,
  { token }: Pick<User, "token">,
  body: string,
  { query = {}, headers, publicApi = api, version = "" }: UploadOptions,
): Promise<ApiAnswer> =>
  publicApi(method, `${version}${path}?${new URLSearchParams(query)}`, {
    token,
    body,
    headers: { "content-type": "application/xml", ...headers },
  });

/** Register an identity provider from its metadata. */
export const createProvider = (
  admin: Pick<User, "token">,
  metadata: string,
  options: UploadOptions = {},
): Promise<ApiAnswer> => upload("POST", "/identity-providers", admin, metadata, options);

/** Replace the metadata of an identity provider. */
export const updateProvider = (
  admin: Pick<User, "token">,
  id: string,
  metadata: string,
  options: UploadOptions = {},
): Promise<ApiAnswer> => upload("PUT", `/identity-providers/${id}`, admin, metadata, options);

export const deleteProvider = (
  { token }: Pick<User, "token">,
  id: string,
  { isPurge, publicApi = api }: { isPurge?: boolean; publicApi?: Api } = {},
): Promise<ApiAnswer> =>
  publicApi("DELETE", `/identity-providers/${id}${isPurge === undefined ? "" : `?purge=${isPurge}`}`, {
    token,
  });

/** Create an identity provider and register it for a team. */
export async function registeredProvider(
  { owner }: Pick<Team, "owner">,
  options: UploadOptions = {},
): Promise<{ id: string; idp: TestIdentityProvider }> {
  const idp = await newIdentityProvider();
  const { status, body } = await createProvider(owner, idp.metadata(), options);
  if (status !== 201) throw new Error(`Registering was answered ${status}: ${JSON.stringify(body)}`);
  return { id: body.id, idp };
}

/** Profile of the user whom an identity provider knows by this name. */
export const knownTo = (issuer: string, name: string): SeededProfile => ({
  provisioned: { samlIdentity: { issuer, nameId: { text: name } } },
});
