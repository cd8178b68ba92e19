import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { NotARealmError, readRealm } from "./keycloak-realm.ts";

const recorded = new URL("../../test/support/recorded/keycloak/realm.json", import.meta.url);

const read = (...users: readonly object[]) => [...readRealm(JSON.stringify({ users }))];

describe("the export of a realm", () => {
  it("names users by their id, and by their username where they have no name", () => {
    expect(
      read({ id: "7", username: "Ada" }, { username: "ben@example.com", email: "ben@example.com" }),
    ).toEqual([
      {
        line: 1,
        user: expect.objectContaining({
          external_id: "7",
          name: "Ada",
          handle: "ada",
          email_verified: false,
        }),
      },
      {
        line: 2,
        user: expect.objectContaining({
          external_id: "ben@example.com",
          email: "ben@example.com",
          handle: undefined,
        }),
      },
    ]);
  });

  it("puts its users into one team, if they are to have one", () => {
    const team = "0190a5b8-0000-4000-8000-000000000000";
    const text = JSON.stringify({ users: [{ id: "7", username: "ada" }] });
    expect([...readRealm(text, team)]).toMatchObject([{ user: { team, role: "member" } }]);
    expect([...readRealm(text, "engines")]).toEqual([{ line: 1, reason: expect.stringMatching(/^team: /) }]);
  });

  it("refuses users who are disabled, malformed, or whose password it cannot read, one by one", () => {
    const reports = read(
      { username: "ada", enabled: false },
      { name: "ben" },
      { username: "cyd", credentials: [{ type: "password", secretData: "{", credentialData: "{}" }] },
      { username: "dan", credentials: [{ type: "otp", secretData: "{}" }] },
    );
    expect(reports.map((report) => "reason" in report)).toEqual([true, true, true, false]);
  });

  it("names what it leaves out of each user, but not what every user has", () => {
    const password = { type: "password", secretData: '{"value":"","salt":""}' };
    const credentialData = '{"hashIterations":1,"algorithm":"pbkdf2"}';
    const reports = read(
      { username: "ada", realmRoles: ["default-roles-acme"], groups: [], clientRoles: { account: [] } },
      {
        username: "ä",
        email: "ae@example.com",
        requiredActions: ["UPDATE_PASSWORD"],
        credentials: [{ ...password, credentialData }, { type: "otp" }],
        federatedIdentities: [{ identityProvider: "acme" }],
        groups: ["/engines"],
        clientRoles: { account: ["manage-account"] },
        attributes: { phone: ["1"] },
      },
      { username: "cyd", requiredActions: ["UPDATE_PASSWORD"], realmRoles: ["admin"] },
    );
    expect(reports.map((report) => "dropped" in report && report.dropped)).toEqual([
      false,
      ["password", "second-factor", "username", "identities", "groups", "roles", "attributes"],
      ["roles"],
    ]);
  });

  it("yields people, and reasons for refusing other accounts, from a real file", () => {
    const text = readFileSync(recorded, "utf8");
    const usernames: string[] = JSON.parse(text).users.map(({ username }: { username: string }) => username);
    const reports = [...readRealm(text)].map((read, index) => [
      usernames[index],
      "reason" in read
        ? read.reason
        : [
            read.user.handle,
            read.user.email,
            read.user.email_verified,
            read.user.password_hash?.split("$")[1],
          ],
    ]);
    expect(reports).toEqual([
      ["argon2", ["argon2", "argon2@hash.example", true, "argon2id"]],
      ["pbkdf2", ["pbkdf2", "pbkdf2@hash.example", true, "pbkdf2"]],
      ["pbkdf2-sha256", ["pbkdf2-sha256", "pbkdf2-sha256@hash.example", true, "pbkdf2-sha256"]],
      ["pbkdf2-sha512", ["pbkdf2-sha512", "pbkdf2-sha512@hash.example", true, "pbkdf2-sha512"]],
      ["unverified", ["unverified", "unverified@hash.example", false, "argon2id"]],
      ["no-mail", ["no-mail", undefined, false, "argon2id"]],
      ["no-password", ["no-password", "no-password@hash.example", true, undefined]],
      ["no-names", ["no-names", "no-names@hash.example", true, "argon2id"]],
      ["mail@as.name", [undefined, "mail@as.name", true, "argon2id"]],
      ["plus+sign", [undefined, "plus@hash.example", true, "argon2id"]],
      ["ä-name", [undefined, "ae@hash.example", true, "argon2id"]],
      ["upper.case", ["upper.case", "upper.case@hash.example", true, "argon2id"]],
      ["disabled", "enabled: the user is disabled"],
      ["temp", ["temp", "temp@hash.example", true, undefined]],
      ["service-account-robot", "serviceAccountClientId: a service, not a person"],
    ]);
  });

  it("is refused as a whole when the file is something else", () => {
    for (const text of ["", "[]", '{"users":{}}', "null"]) {
      expect(() => [...readRealm(text)]).toThrow(NotARealmError);
    }
  });
});
