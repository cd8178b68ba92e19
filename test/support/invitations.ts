import { type ApiAnswer, api, internalApi } from "./api.ts";
import type { Team } from "./teams.ts";
import { type Apis, newEmail, type User } from "./users.ts";

/** An invitation that has been sent, with the code that its mail contains. */
export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly code: string;
}

const shared: Apis = { publicApi: api, internalApi };

/** Send an invitation, by default as the owner of the team. */
export const invite = (
  team: Pick<Team, "id" | "owner">,
  fields: Record<string, unknown> = {},
  { by = team.owner, apis = shared, version = 9 }: { by?: User; apis?: Apis; version?: number } = {},
): Promise<ApiAnswer> =>
  apis.publicApi("POST", `/v${version}/teams/${team.id}/invitations`, {
    token: by.token,
    json: { email: newEmail(), ...fields },
  });

/** Invite an address, and look up the code through the internal API. */
export async function newInvitation(
  team: Pick<Team, "id" | "owner">,
  fields: Record<string, unknown> = {},
  apis: Apis = shared,
): Promise<Invitation> {
  const { status, body } = await invite(team, fields, { apis });
  if (status !== 201) throw new Error(`Inviting failed: ${JSON.stringify(body)}`);
  const query = new URLSearchParams({ team: team.id, invitation_id: body.id });
  const found = await apis.internalApi("GET", `/i/teams/invitation-code?${query}`);
  return { id: body.id, email: body.email, code: found.body.code };
}

/** Accept an invitation with an existing account. */
export const accept = (
  { token, password }: Pick<User, "token" | "password">,
  code: string,
  { publicApi }: Apis = shared,
): Promise<ApiAnswer> => publicApi("POST", "/teams/invitations/accept", { token, json: { code, password } });
