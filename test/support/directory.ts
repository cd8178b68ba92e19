import { randomUUID } from "node:crypto";
import { type ApiAnswer, api } from "./api.ts";
import { provisioningData } from "./provisioning.ts";
import { newTeam, type Team } from "./teams.ts";
import { type Apis, newEmail } from "./users.ts";

/** Attributes of a user as a directory sends them. */
export type UserFields = Readonly<Record<string, unknown>>;

export const extensionUrn = "urn:ietf:params:scim:schemas:extension:svc:1.0:User";
export const profileUrn = "urn:svc:scim:schemas:profile:1.0";

/** The directory of a team, which provisions its users. */
export interface Directory {
  readonly team: Team;
  readonly token: string;
  /** Id of the identity provider that the token is bound to. */
  readonly idpId: string | undefined;
  /** Issuer of that identity provider. */
  readonly issuer: string | undefined;
  create(fields?: UserFields): Promise<ApiAnswer>;
  get(id: string): Promise<ApiAnswer>;
  find(filter: string): Promise<ApiAnswer>;
  replace(id: string, fields: UserFields): Promise<ApiAnswer>;
  patch(id: string, operations: readonly UserFields[]): Promise<ApiAnswer>;
  remove(id: string): Promise<ApiAnswer>;
  /** Another directory of the same team, with another token. */
  sibling(options?: { idpId?: string | undefined }): Promise<Directory>;
}

/** Attributes of a new user: an external id that is an email address, and a user name. */
export const newUserFields = (fields: UserFields = {}): UserFields => ({
  externalId: newEmail(),
  userName: `u.${randomUUID()}`,
  displayName: "Ada",
  ...fields,
});

/** Create a team with a directory; with `hasProvider`, its users log in through an identity provider. */
export async function newDirectory(
  { hasProvider = false, team }: { hasProvider?: boolean; team?: Team } = {},
  apis?: Apis,
): Promise<Directory> {
  const data = provisioningData({ prefix: apis?.data?.prefix });
  const ownTeam = team ?? (await newTeam({}, apis));
  const provider = hasProvider ? await data.newProvider(ownTeam.id, { certificates: ["AAAA"] }) : undefined;
  return directoryOf(ownTeam, provider, apis);
}

async function directoryOf(
  team: Team,
  provider: { id: string; issuer: string } | undefined,
  apis?: Apis,
): Promise<Directory> {
  const { publicApi = api } = apis ?? {};
  const data = provisioningData({ prefix: apis?.data?.prefix });
  const token = await data.newToken(team.id, { idpId: provider?.id });
  const send = (method: string, path: string, json?: unknown) =>
    publicApi(method, `/scim/v2${path}`, { token, json });
  return {
    team,
    token,
    idpId: provider?.id,
    issuer: provider?.issuer,
    create: (fields = newUserFields()) => send("POST", "/Users", fields),
    get: (id) => send("GET", `/Users/${id}`),
    find: (filter) => send("GET", `/Users?filter=${encodeURIComponent(filter)}`),
    replace: (id, fields) => send("PUT", `/Users/${id}`, fields),
    patch: (id, operations) =>
      send("PATCH", `/Users/${id}`, {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: operations,
      }),
    remove: (id) => send("DELETE", `/Users/${id}`),
    sibling: async ({ idpId } = {}) =>
      directoryOf(team, idpId === undefined ? undefined : await data.providers.get(idpId), apis),
  };
}
