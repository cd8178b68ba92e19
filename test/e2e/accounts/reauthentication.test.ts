import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { wrongCode } from "../../support/messages.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { codeRefused, codeRequired, secondFactor } from "../../support/second-factor.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { joinTeam, newMember, newTeam } from "../../support/teams.ts";
import {
  type Apis,
  activate,
  newPhone,
  newUser,
  register,
  somePassword,
  type User,
} from "../../support/users.ts";

/** A stack that requires a second factor of members of teams, without limits. */
const open = await stackWith({ sndFactorPasswordChallenge: { defaults: { status: "enabled" } } });
const { newCode } = secondFactor(open);

describe.concurrent("re-authentication", () => {
  const prove = async ({ id }: Pick<User, "id">, json: object, apis: Apis = open) =>
    outcome(await apis.internalApi("POST", `/i/users/${id}/reauthenticate`, { json }));

  it("requires the password, and a code when an action is named", async () => {
    const user = await newMember({}, open);
    const { password } = user;
    expect(await prove(user, {})).toBe("403 missing-auth");
    expect(await prove(user, { password: "not the password" })).toBe("403 invalid-credentials");
    expect(await prove(user, { password })).toBe("200");
    expect(await prove(user, { password, action: "login" })).toBe(codeRequired);
    const code = await newCode(user);
    const proof = { password, action: "login" };
    expect(await prove(user, { ...proof, verification_code: wrongCode(code) })).toBe(codeRefused);
    expect(await prove(user, { ...proof, verification_code: code })).toBe("200");
    expect(await prove(user, { ...proof, action: "delete_team", verification_code: code })).toBe(codeRefused);
    expect(await prove(user, { ...proof, password: "not the password", verification_code: code })).toBe(
      "403 invalid-credentials",
    );
  });

  it("requires no code while no second factor is required", async () => {
    const user = await newUser();
    const json = { password: user.password, action: "login" };
    expect(await prove(user, json, { publicApi: api, internalApi })).toBe("200");
  });

  it("needs no password for a user without one, and refuses any", async () => {
    const phone = newPhone();
    const { body } = await register({ phone }, open);
    await activate({ phone }, open);
    await joinTeam(await newTeam({}, open), body, open);
    expect(await prove(body, {})).toBe("200");
    expect(await prove(body, { action: "login" })).toBe(codeRequired);
    expect(await prove(body, { password: somePassword })).toBe("403 invalid-credentials");
  });

  it("refuses suspended and unknown users", async () => {
    const user = await newMember({}, open);
    await open.internalApi("PUT", `/i/users/${user.id}/status`, { json: { status: "suspended" } });
    expect(await prove(user, { password: user.password })).toBe("403 suspended");
    expect(await prove({ id: randomUUID() }, {})).toBe("403 invalid-credentials");
  });

  it("accepts its body with GET, too", async () => {
    const user = await newUser();
    const get = (json: object) =>
      rawRequest(sharedStack().internalUrl, "GET", `/i/users/${user.id}/reauthenticate`, {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(json),
      });
    expect(await get({ password: user.password })).toEqual({ status: 200, body: "" });
    expect(await get({ password: "not the password" })).toMatchObject({ status: 403 });
    expect(await get({ password: 1 })).toMatchObject({ status: 400 });
    const { status } = await internalApi("HEAD", `/i/users/${user.id}/reauthenticate`);
    expect(status).toBe(405);
  });
});
