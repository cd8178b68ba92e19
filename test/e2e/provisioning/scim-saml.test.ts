import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import { type ApiAnswer, api, internalApi, outcome } from "../../support/api.ts";
import { type Directory, newDirectory, newUserFields } from "../../support/directory.ts";
import { newInvitation } from "../../support/invitations.ts";
import {
  finalizeLogin,
  initiateLogin,
  logInBySaml,
  type NameId,
  newIdentityProvider,
  registerIdentityProvider,
  samlNames,
  type TestIdentityProvider,
  verdictOf,
} from "../../support/saml.ts";
import { register, somePassword } from "../../support/users.ts";

let directory: Directory;
let provider: TestIdentityProvider;
let registered: IdentityProvider;

beforeAll(async () => {
  const unbound = await newDirectory();
  provider = await newIdentityProvider();
  registered = await registerIdentityProvider(provider, unbound.team.id);
  directory = await unbound.sibling({ idpId: registered.id });
});

const logInAs = (nameId: NameId) => logInBySaml(registered, provider, { nameId });

/** Id of the user whose session a login has started. */
async function userOf({ cookie }: Pick<ApiAnswer, "cookie">): Promise<string> {
  const { body } = await api("POST", "/access", { cookie });
  return body.user;
}

describe.concurrent("a user of a directory with an identity provider", () => {
  it("logs in through it as the same user, whatever the case and the qualifiers of the name", async () => {
    const { body: user } = await directory.create(newUserFields({ externalId: `Ada-${randomUUID()}` }));
    const text = user.externalId.toUpperCase();
    const login = await logInAs({ text, format: samlNames.unspecified, nameQualifier: "somewhere" });
    expect(verdictOf(login)).toBe("success");
    expect(await userOf(login)).toBe(user.id);
    expect((await directory.get(user.id)).body).toEqual(user);
  });

  it("can log in through it after an invitation by mail, once the directory has found the address", async () => {
    const { email, code } = await newInvitation(directory.team);
    const json = { email, name: "Ada", password: somePassword, team_code: code };
    const { body: member } = await register(json);
    const before = await logInAs({ text: email, format: samlNames.email });
    expect(verdictOf(before)).toBe("not-found");
    const { body } = await directory.find(`externalId eq "${email}"`);
    expect(body.Resources).toMatchObject([{ id: member.id }]);
    const login = await logInAs({ text: email, format: samlNames.email });
    expect(await userOf(login)).toBe(member.id);
  });

  it("has no session once the directory has deleted the user, even during the first login", async () => {
    const rounds = Array.from({ length: 20 }, async () => {
      const { body: user } = await directory.create();
      const nameId = { text: user.externalId, format: samlNames.email };
      const response = provider.respond(await initiateLogin(registered), { nameId });
      const [login, removed] = await Promise.all([
        finalizeLogin(registered, response),
        directory.remove(user.id),
      ]);
      expect(removed.status).toBe(204);
      const verdict = verdictOf(login);
      expect(["success", "not-found"]).toContain(verdict);
      expect(login.cookie === undefined).toBe(verdict !== "success");
      if (login.cookie !== undefined)
        expect(outcome(await api("POST", "/access", { cookie: login.cookie }))).toBe(
          "403 invalid-credentials",
        );
      const { body: accounts } = await internalApi("GET", `/i/users?ids=${user.id}`);
      expect(accounts.map(({ status }: { status: string }) => status)).toEqual(["deleted"]);
      expect((await directory.find(`externalId eq "${user.externalId}"`)).body.Resources).toEqual([]);
      expect(verdictOf(await logInAs(nameId))).toBe("not-found");
      const again = await directory.create(newUserFields({ externalId: user.externalId }));
      expect(again.status).toBe(201);
    });
    await Promise.all(rounds);
  });

  it("cannot log in when suspended or deleted", async () => {
    const { body: user } = await directory.create();
    const nameId = { text: user.externalId, format: samlNames.email };
    await directory.replace(user.id, { ...user, active: false });
    expect(verdictOf(await logInAs(nameId))).toBe("suspended");
    await directory.replace(user.id, { ...user, active: true });
    expect(verdictOf(await logInAs(nameId))).toBe("success");
    await directory.remove(user.id);
    expect(verdictOf(await logInAs(nameId))).toBe("not-found");
  });
});
