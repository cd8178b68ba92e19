import { type PermissionSet, roleOf } from "#shared/teams/permissions.ts";
import { user as userArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { type Profile, theUser } from "./find-user.ts";
import type { InternalApi } from "./internal-api.ts";
import { devicesOf, sessionsOf } from "./user-devices.ts";

export const userShow = defineCommand({
  name: "user show",
  summary:
    "Show the state of a user: status, team, last login, devices, sessions, limits that refuse logins now, second factor, legal " +
    "hold, mail",
  examples: [
    "user show ada@example.com",
    "user show 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod --json",
  ],
  effect: "reads",
  arguments: { user: userArgument },
  async run({ api }, values) {
    const user = await theUser(api, values.user);
    const { id, name, handle, email, email_unvalidated, phone, locale, managed_by, sso_id, expires_at } =
      user;
    const { status } = await api.read(`/i/users/${id}/status`);
    const described = {
      id,
      name,
      status,
      handle,
      email,
      email_unvalidated,
      phone,
      locale,
      managed_by,
      sso_id,
    };
    if (user.deleted) return described;
    const [membership, state, addresses] = await Promise.all([
      membershipOf(api, user),
      stateOf(api, user),
      addressState(api, user),
    ]);
    return { ...described, expires_at, ...membership, ...addresses, ...state };
  },
});

async function membershipOf(api: InternalApi, { id, team }: Profile) {
  if (team === undefined) return {};
  const member = await api.find(`/i/teams/${team}/members/${id}`);
  const permissions: PermissionSet | undefined = member?.permissions;
  return {
    team,
    role: permissions && (roleOf(permissions) ?? "none of the roles"),
    legal_hold: member?.legalhold_status,
  };
}

/** Answers of the user's own operations, which the internal API gives for the user in `Z-User`. */
async function stateOf(api: InternalApi, { id, team }: Profile) {
  const [features, activity, devices, sessions, { limits }] = await Promise.all([
    api.read("/i/feature-configs", { query: { user_id: id } }),
    api.read(`/i/users/${id}/activity`),
    devicesOf(api, id),
    sessionsOf(api, id),
    api.read(`/i/users/${id}/limits`),
  ]);
  return {
    // The API also shows the feature's default for users without a team, who never need a second factor.
    second_factor: team === undefined ? "disabled" : features.sndFactorPasswordChallenge.status,
    last_login: activity.last_login,
    active_on: activity.active_on,
    last_active: latest(devices.map(({ last_active }) => last_active)),
    newest_session: latest(sessions.map(({ created }) => created)),
    sessions: sessions.length,
    refused_now: limits,
    devices,
  };
}

const latest = (times: readonly (string | undefined)[]) =>
  times
    .filter((time) => time !== undefined)
    .toSorted()
    .at(-1);

/** Reasons why somebody may get no mail, or could not register. */
async function addressState(api: InternalApi, { email, email_unvalidated }: Profile) {
  const address = email ?? email_unvalidated;
  if (address === undefined) return {};
  const query = { email: address };
  const [suppression, blocked] = await Promise.all([
    api.find("/i/mail-suppressions", { query }),
    api.find("/i/users/blacklist", { query }),
  ]);
  return {
    mail_suppressed: suppression && `${suppression.reason}, until ${suppression.expires_at}`,
    address_blocked: blocked !== undefined,
  };
}
