import { expect } from "vitest";
import { api, internalApi, outcome } from "./api.ts";
import { switchLegalHold } from "./legal-hold.ts";
import { startLegalHoldService } from "./legal-hold-service.ts";
import { newTeam, type Team } from "./teams.ts";
import { type Apis, somePassword, type User } from "./users.ts";

/** A team with a service, and a member who has consented. */
export async function newHeldTeam(apis: Apis = { publicApi: api, internalApi }) {
  const [team, service] = await Promise.all([
    newTeam({}, apis.data === undefined ? undefined : apis),
    startLegalHoldService(),
  ]);
  await switchLegalHold(team, "enabled", apis);
  const json = service.registration;
  const registered = await apis.publicApi("POST", `/teams/${team.id}/legalhold/settings`, {
    token: team.owner.token,
    json,
  });
  expect(outcome(registered)).toBe("201");
  const member = await team.add();
  expect(outcome(await consentToLegalHold(team, member, apis.publicApi))).toBe("201");
  return { team, service, member };
}

/** Path of a member's legal hold. */
export const legalHoldPath = (team: Team, { id }: User) => `/teams/${team.id}/legalhold/${id}`;

/** Consent to legal hold, as the member. */
export const consentToLegalHold = (team: Team, { token }: User, publicApi = api) =>
  publicApi("POST", `/teams/${team.id}/legalhold/consent`, { token });

/** Request legal hold of a member, as the team's owner or somebody else. */
export const requestLegalHold = (team: Team, member: User, { token } = team.owner, publicApi = api) =>
  publicApi("POST", legalHoldPath(team, member), { token });

export const withPassword = { password: somePassword };

/** Approve a requested device, as the member or somebody else. */
export const approveLegalHold = (
  team: Team,
  member: User,
  json: object = withPassword,
  { token } = member,
  publicApi = api,
) => publicApi("PUT", `${legalHoldPath(team, member)}/approve`, { token, json });

/** End the legal hold of a member, as the team's owner or somebody else. */
export const endLegalHold = (
  team: Team,
  member: User,
  json: object = withPassword,
  { token } = team.owner,
  publicApi = api,
) => publicApi("DELETE", legalHoldPath(team, member), { token, json });

/** The status of a member's legal hold. */
export const legalHoldStatusOf = async (team: Team, member: User, { token } = member, publicApi = api) =>
  (await publicApi("GET", legalHoldPath(team, member), { token })).body;

/** Devices of a user. */
export const devicesOf = async ({ token }: User, publicApi = api) =>
  (await publicApi("GET", "/v8/clients", { token })).body;

/** Events of a user so far, oldest first. */
export const eventsOf = async ({ token }: Pick<User, "token">): Promise<{ type: string; id?: string }[]> =>
  (await api("GET", "/v8/notifications?size=1000", { token })).body.notifications.flatMap(
    ({ payload }: { payload: unknown[] }) => payload,
  );

/** Types of a user's events about legal hold and devices. */
export const typesOf = async (user: Pick<User, "token">) =>
  (await eventsOf(user)).map(({ type }) => type).filter((type) => /legalhold|client/.test(type));

/** A member under legal hold, and the token by which the service reads. */
export async function newHeldMember() {
  const held = await newHeldTeam();
  const { team, member, service } = held;
  expect(outcome(await requestLegalHold(team, member))).toBe("201");
  expect(outcome(await approveLegalHold(team, member))).toBe("200");
  const [confirmed] = service.callsOf("/confirm");
  const cookie: string = confirmed?.body.refresh_token;
  const { body } = await api("POST", "/access", { cookie });
  return { ...held, cookie, deviceToken: body.access_token as string, clientId: confirmed?.body.client_id };
}
