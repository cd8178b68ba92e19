import type { SeedApi } from "./seed-api.ts";

/**
 * Password of everybody in the seeded team. It is no secret: the team exists on one machine only, and the password is
 * printed at each start.
 */
export const seedPassword = "correct horse battery";

const teamName = "Engines";
const owner = { name: "Ada", email: "ada@engines.example" };
const others = [
  { name: "Ben", email: "ben@engines.example", role: "admin" },
  { name: "Cleo", email: "cleo@engines.example", role: "member" },
  { name: "Dan", email: "dan@engines.example", role: "member" },
  { name: "Eve", email: "eve@engines.example", role: "partner" },
] as const;

/** A person in the team. */
export interface SeededPerson {
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly id: string;
  readonly domain: string;
  /** Access token. */
  readonly token: string;
}

/** A team; its owner is the first of its people. */
export interface SeededTeam {
  readonly id: string;
  readonly name: string;
  readonly people: readonly [SeededPerson, ...SeededPerson[]];
}

/** Create the team with its five people, or the missing ones. */
export async function seedTeam(api: SeedApi): Promise<SeededTeam> {
  const ada = await logInOr(api, { ...owner, role: "owner" }, async () => {
    const { email } = owner;
    await api.call("POST", "/activate/send", { json: { email } });
    const { body } = await api.operate("GET", `/i/users/activation-code?${new URLSearchParams({ email })}`);
    const team = { name: teamName, icon: "default" };
    await register(api, { ...owner, email_code: body.code, team });
  });
  const { body: self } = await api.call("GET", "/self", { token: ada.token });
  const invited = await Promise.all(
    others.map((person) => logInOr(api, person, () => join(api, { ...ada, team: self.team }, person))),
  );
  return { id: self.team, name: teamName, people: [ada, ...invited] };
}

/** Invite somebody, and register them with the code of the invitation. */
async function join(
  api: SeedApi,
  { token, team }: { readonly token: string; readonly team: string },
  { name, email, role }: { readonly name: string; readonly email: string; readonly role: string },
): Promise<void> {
  // An earlier run may have ended between the two steps.
  const { body: sent } = await api.call("GET", `/teams/${team}/invitations`, { token });
  const pending = sent.invitations.find((invitation: { email: string }) => invitation.email === email);
  const invitation =
    pending ?? (await api.call("POST", `/teams/${team}/invitations`, { token, json: { email, role } })).body;
  const query = new URLSearchParams({ team, invitation_id: invitation.id });
  const { body } = await api.operate("GET", `/i/teams/invitation-code?${query}`);
  await register(api, { name, email, team_code: body.code });
}

const register = (api: SeedApi, fields: object) =>
  api.call("POST", "/register", { json: { ...fields, password: seedPassword } });

/** Log in, and if there is no such account, create it first. */
async function logInOr(
  api: SeedApi,
  person: Pick<SeededPerson, "name" | "email" | "role">,
  create: () => Promise<unknown>,
): Promise<SeededPerson> {
  const logIn = (expected: readonly number[]) =>
    api.call("POST", "/login", { json: { email: person.email, password: seedPassword }, expected });
  let login = await logIn([200, 403]);
  if (login.status === 403) {
    await create();
    login = await logIn([200]);
  }
  const { access_token: token } = login.body;
  const { body: self } = await api.call("GET", "/self", { token });
  return { ...person, ...self.qualified_id, token };
}
