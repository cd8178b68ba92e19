import { describe, expect, it } from "vitest";
import { NotARealmError, readRealm } from "./keycloak-realm.ts";

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

  it("refuses users who are disabled, malformed, or whose password it cannot read, one by one", () => {
    const reports = read(
      { username: "ada", enabled: false },
      { name: "ben" },
      { username: "cyd", credentials: [{ type: "password", secretData: "{", credentialData: "{}" }] },
      { username: "dan", credentials: [{ type: "otp", secretData: "{}" }] },
    );
    expect(reports.map((report) => "reason" in report)).toEqual([true, true, true, false]);
  });

  it("is refused as a whole when it is something else", () => {
    for (const text of ["", "[]", '{"users":{}}', "null"]) {
      expect(() => [...readRealm(text)]).toThrow(NotARealmError);
    }
  });
});
