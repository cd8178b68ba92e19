import { randomUUID } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { adminOf } from "../../support/admin.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { registerDevice } from "../../support/devices.ts";
import { nextMessage, wrongCode } from "../../support/messages.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { concurrently } from "../../support/races.ts";
import { codeRefused, codeRequired, purposesTo, secondFactor } from "../../support/second-factor.ts";
import { stackWith } from "../../support/stack-with.ts";
import { joinTeam, newMember, newTeam } from "../../support/teams.ts";
import {
  activate,
  newEmail,
  newPhone,
  newUser,
  register,
  registeredUser,
  somePassword,
  type User,
} from "../../support/users.ts";

/** A stack that requires a second factor of members of teams, without limits. */
const open = await stackWith({ sndFactorPasswordChallenge: { defaults: { status: "enabled" } } });
const { request, pendingCode, newCode, logIn } = secondFactor(open);

describe.concurrent("requesting a second-factor code", () => {
  it("returns 200 without a body and mails a code", async () => {
    const user = await newMember({}, open);
    const { status, body } = await request(user.email);
    const { headers, text, html } = await nextMessage(user.email);

    expect({ status, body }).toEqual({ status: 200, body: "" });
    const code = await pendingCode(user);
    expect(code).toMatch(/^\d{6}$/);
    expect(headers).toMatchObject({ "X-Svc-Purpose": "SecondFactorVerification", "X-Svc-Code": code });
    expect(headers).not.toHaveProperty("X-Svc-Key");
    expect(text).toContain(code);
    expect(html).toContain(code);
  });

  it("creates a separate code for every action", async () => {
    const user = await newMember({}, open);
    const codes = new Set();
    for (const action of ["login", "create_scim_token", "delete_team"]) {
      codes.add(await newCode(user, { action }));
    }
    expect(codes.size).toBeGreaterThan(1);
    expect(outcome(await logIn(user, await pendingCode(user, { action: "delete_team" })))).toBe(codeRefused);
    expect(outcome(await logIn(user, await pendingCode(user)))).toBe("200");
  });

  it("mails to the address as the account spells it, in the account's language", async () => {
    const email = newEmail().replace("user", "Ada.User");
    await newMember({ email, locale: "de" }, open);
    expect(outcome(await request(email.toUpperCase().replace("@", "+x@")))).toBe("200");
    const { to, subject, html } = await nextMessage(email);

    expect(to).toBe(email);
    expect(subject).toContain("Sicherheitscode");
    expect(html).toContain('lang="de"');
  });

  it("replaces the previous code", async () => {
    const user = await newMember({}, open);
    const older = await newCode(user);
    const newer = await newCode(user);

    if (older !== newer) expect(outcome(await logIn(user, older))).toBe(codeRefused);
    expect(outcome(await logIn(user, newer))).toBe("200");
  });

  it("returns 200 and mails nothing for addresses without an active account", async () => {
    const suspended = await newMember({}, open);
    await open.internalApi("PUT", `/i/users/${suspended.id}/status`, { json: { status: "suspended" } });
    const pending = newEmail();
    const { body } = await register({ email: pending, password: somePassword }, open);
    const unknown = newEmail();
    await nextMessage(pending);

    for (const email of [suspended.email, pending, unknown]) {
      expect(await request(email)).toMatchObject({ status: 200, body: "" });
    }
    expect(await pendingCode(suspended)).toBeNull();
    expect(await pendingCode({ id: body.id })).toBeNull();
    // A later mail to another user shows that no other is on its way.
    const user = await newMember({}, open);
    await request(user.email);
    await nextMessage(user.email);
    expect(await purposesTo(suspended.email)).toEqual([]);
    expect(await purposesTo(pending)).toEqual(["Activation"]);
    expect(await purposesTo(unknown)).toEqual([]);
  });

  it("mails nothing while a password is enough to log in", async () => {
    const user = await registeredUser();
    await nextMessage(user.email);
    const apis = { publicApi: api, internalApi };
    for (let count = 0; count < 2; count++) {
      expect(await request(user.email, { apis })).toMatchObject({ status: 200, body: "" });
    }
    expect(await pendingCode(user, { apis })).toBeNull();
    expect(await purposesTo(user.email)).toEqual(["Activation"]);
    expect(outcome(await logIn(user, undefined, apis))).toBe("200");
    expect(outcome(await logIn(user, "123456", apis))).toBe("200");
  });

  it("requires an address that can be one", async () => {
    const send = (json: object) => open.publicApi("POST", "/verification-code/send", { json });
    expect(outcome(await send({ action: "login", email: "nobody" }))).toBe("400 invalid-email");
    expect(outcome(await send({ action: "login", email: newEmail(), more: true }))).toBe("200");
  });
});

describe.concurrent("a login with a second factor", () => {
  it("returns 403 code-authentication-required without a code, and 403 code-authentication-failed with a wrong one", async () => {
    const user = await newMember({}, open);
    expect(outcome(await logIn(user))).toBe(codeRequired);
    expect(outcome(await logIn(user, "123456"))).toBe(codeRefused);
    const code = await newCode(user);
    expect(outcome(await logIn(user))).toBe(codeRequired);
    expect(outcome(await logIn(user, wrongCode(code)))).toBe(codeRefused);
    expect(outcome(await logIn(user, `${code}0`))).toBe(codeRefused);

    const answer = await logIn(user, code);
    expect(answer).toMatchObject({ status: 200, body: { user: user.id, token_type: "Bearer" } });
    expect(answer.cookie).toBeDefined();
  });

  it("does not use up the code", async () => {
    const user = await newMember({}, open);
    const code = await newCode(user);
    for (let count = 0; count < 5; count++) expect(outcome(await logIn(user, code))).toBe("200");
    expect(await pendingCode(user)).toBe(code);
  });

  it("leaves its code valid for adding a device", async () => {
    const { publicApi } = open;
    const user = await newMember({}, open);
    const code = await newCode(user);
    const token: string = (await logIn(user, code)).body.access_token;
    const add = async (fields: Record<string, unknown>) =>
      outcome(await registerDevice({ token }, fields, { publicApi }));

    expect(await add({})).toBe(codeRequired);
    expect(await add({ verification_code: wrongCode(code) })).toBe(codeRefused);
    expect(await add({ verification_code: code })).toBe("201");
    expect(await add({ verification_code: code })).toBe("403 missing-auth");
    expect(await add({ verification_code: code, password: user.password })).toBe("201");
    expect(outcome(await logIn(user, code))).toBe("200");
  });

  it("is also required of accounts without an email address to add a device", async () => {
    const { publicApi } = open;
    const add = async (token: string, fields: Record<string, unknown> = {}) =>
      outcome(await registerDevice({ token }, fields, { publicApi }));
    const registeredBy = async (fields: Record<string, unknown>) => {
      const { body, cookie } = await register(fields, open);
      const token: string = (await publicApi("POST", "/access", { cookie })).body.access_token;
      return { id: body.id as string, token };
    };
    for (const password of [undefined, somePassword]) {
      const phone = newPhone();
      const { id, token } = await registeredBy({ phone, password });
      await activate({ phone }, open);
      await joinTeam(await newTeam({}, open), { id }, open);
      expect(await add(token)).toBe(codeRequired);
      expect(await add(token, { verification_code: "123456" })).toBe(codeRefused);
    }
    expect(await add((await registeredBy({})).token)).toBe("201");
  });

  it("is required to remove an address, so that a removal does not bypass it", async () => {
    const { publicApi } = open;
    const user = await newMember({}, open);
    const code = await newCode(user);
    const token: string = (await logIn(user, code)).body.access_token;
    const phone = newPhone();
    await publicApi("PUT", "/self/phone", { token, json: { phone } });
    await activate({ phone }, open);
    const remove = async (kind: string, json?: object) =>
      outcome(await publicApi("DELETE", `/self/${kind}`, { token, json }));

    for (const kind of ["email", "phone"]) {
      expect(await remove(kind)).toBe(codeRequired);
      expect(await remove(kind, { verification_code: wrongCode(code) })).toBe(codeRefused);
    }
    const next = await newCode(user);
    expect(await remove("email", { verification_code: next })).toBe("200");
    expect(await remove("phone", { verification_code: next })).toBe("403 last-identity");
    for (const fields of [{}, { verification_code: next }]) {
      const added = await registerDevice({ token }, fields, { publicApi });
      expect(outcome(added)).toBe("verification_code" in fields ? codeRefused : codeRequired);
    }
  });

  it("refuses the right code after three wrong ones, until a new one is requested", async () => {
    const user = await newMember({}, open);
    const code = await newCode(user);
    for (let count = 0; count < 3; count++) {
      expect(outcome(await logIn(user, wrongCode(code, count)))).toBe(codeRefused);
    }
    expect(outcome(await logIn(user, code))).toBe(codeRefused);
    expect(await pendingCode(user)).toBeNull();

    expect(outcome(await logIn(user, await newCode(user)))).toBe("200");
  });

  it("refuses the right code after 20 concurrent wrong guesses", async () => {
    const user = await newMember({}, open);
    const code = await newCode(user);
    const outcomes = (await concurrently(20, (index) => logIn(user, wrongCode(code, index)))).map(outcome);

    expect(outcomes).toEqual(Array(20).fill(codeRefused));
    expect(outcome(await logIn(user, code))).toBe(codeRefused);
  });

  it("refuses the right code with a wrong password, and counts no attempt for it", async () => {
    const user = await newMember({}, open);
    const code = await newCode(user);
    for (const candidate of [code, wrongCode(code), undefined, wrongCode(code), wrongCode(code)]) {
      const answer = await logIn({ ...user, password: "not the password" }, candidate);
      expect(outcome(answer)).toBe("403 invalid-credentials");
    }
    expect(outcome(await logIn(user, code))).toBe("200");
  });

  it("refuses another user's code", async () => {
    const [user, other] = await Promise.all([newMember({}, open), newMember({}, open)]);
    const [code, foreign] = [await newCode(user), await newCode(other)];
    if (code !== foreign) expect(outcome(await logIn(user, foreign))).toBe(codeRefused);
    expect(outcome(await logIn(user, code))).toBe("200");
  });

  it("refuses a code that was mailed to a former address", async () => {
    const user = await newMember({}, open);
    const email = newEmail();
    const { body, cookie } = await logIn(user, await newCode(user));
    const token = body.access_token;
    const code = await newCode(user);
    await open.publicApi("PUT", "/access/self/email", { token, cookie, json: { email } });
    await activate({ email }, open);
    expect(outcome(await logIn({ ...user, email }, code))).toBe(codeRefused);
  });

  it("requires a code by phone and by handle, too", async () => {
    const phone = newPhone();
    const user = await registeredUser({ phone }, open);
    await activate({ phone }, open);
    await joinTeam(await newTeam({}, open), user, open);
    const handle = await withHandle(open, user.email);
    const { password } = user;
    for (const identity of [{ phone }, { handle }]) {
      expect(outcome(await logIn({ ...identity, password }))).toBe(codeRequired);
    }
    const code = await newCode(user);
    for (const identity of [{ phone }, { handle }]) {
      expect(outcome(await logIn({ ...identity, password }, wrongCode(code)))).toBe(codeRefused);
      expect(outcome(await logIn({ ...identity, password }, code))).toBe("200");
    }
  });

  it("refuses accounts without an email address, which cannot get a code", async () => {
    const phone = newPhone();
    const { body } = await register({ phone, password: somePassword }, open);
    await activate({ phone }, open);
    await joinTeam(await newTeam({}, open), body, open);
    expect(outcome(await logIn({ phone, password: somePassword }))).toBe(codeRequired);
    expect(outcome(await logIn({ phone, password: somePassword }, "123456"))).toBe(codeRefused);
    expect(outcome(await logIn({ phone, password: "not the password" }))).toBe("403 invalid-credentials");
  });

  it("requires no code for a login by SMS", async () => {
    const phone = newPhone();
    const user = await registeredUser({ phone }, open);
    await activate({ phone }, open);
    await joinTeam(await newTeam({}, open), user, open);
    await open.publicApi("POST", "/login/send", { json: { phone } });
    const query = new URLSearchParams({ phone });
    const { code } = (await open.internalApi("GET", `/i/users/login-code?${query}`)).body;
    expect(outcome(await open.publicApi("POST", "/login", { json: { phone, code } }))).toBe("200");
  });

  it("reports a suspension without asking for a code", async () => {
    const user = await newMember({}, open);
    await open.internalApi("PUT", `/i/users/${user.id}/status`, { json: { status: "suspended" } });
    expect(outcome(await logIn(user))).toBe("403 suspended");
  });

  it("refuses impossible codes like wrong ones, and values other than text with 400 bad-request", async () => {
    const user = await newMember({}, open);
    const { email, password } = user;
    const withCode = async (code: unknown) => {
      const json = { email, password, verification_code: code };
      return outcome(await open.publicApi("POST", "/login", { json }));
    };
    for (const code of ["", "x".repeat(65)])
      expect(await withCode(code)).toBe("403 code-authentication-failed");
    for (const code of [123456, ["123456"]]) expect(await withCode(code)).toBe("400 bad-request");
  });
});

describe.concurrent("GET /i/users/{uid}/verification-code/{action}", () => {
  it("returns null while no code is pending, even for an unknown user", async () => {
    const user = await newMember({}, open);
    expect(await pendingCode(user)).toBeNull();
    expect(await pendingCode({ id: randomUUID() })).toBeNull();
  });
});

describe.concurrent("users without a team where the server requires a second factor by default", () => {
  it("are never asked for it: not to log in, to add devices or to remove an address", async () => {
    const { publicApi, internalApi: internal } = open;
    const phone = newPhone();
    const user = await registeredUser({ phone }, open);
    await activate({ phone }, open);
    const login = await logIn(user);
    expect(outcome(login)).toBe("200");
    expect(outcome(await logIn({ phone, password: user.password }))).toBe("200");
    const token: string = login.body.access_token;
    expect(outcome(await registerDevice({ token }, {}, { publicApi }))).toBe("201");
    const json = { password: user.password, action: "login" };
    expect(outcome(await internal("POST", `/i/users/${user.id}/reauthenticate`, { json }))).toBe("200");
    expect(outcome(await publicApi("DELETE", "/self/phone", { token, json: {} }))).toBe("200");
  });

  it("are shown to operators without a second factor, unlike members", async () => {
    const shown = async ({ id }: Pick<User, "id">) =>
      (await adminOf(open).resultOf("user", "show", id)).second_factor;
    expect(await shown(await newUser({}, open))).toBe("disabled");
    expect(await shown(await newMember({}, open))).toBe("enabled");
  });

  it("get no mail when they request a code, but the same answer", async () => {
    const user = await newUser({}, open);
    expect(await request(user.email)).toMatchObject({ status: 200, body: "" });
    expect(await pendingCode(user)).toBeNull();
    // A later mail to a member shows that no other is on its way.
    const member = await newMember({}, open);
    await request(member.email);
    await nextMessage(member.email);
    expect(await purposesTo(user.email)).toEqual([]);
  });

  it("are asked once they have joined a team", async () => {
    const [user, team] = await Promise.all([newUser({}, open), newTeam({}, open)]);
    expect(outcome(await logIn(user))).toBe("200");
    await joinTeam(team, user, open);
    expect(outcome(await logIn(user))).toBe(codeRequired);
    expect(outcome(await registerDevice(user, {}, { publicApi: open.publicApi }))).toBe(codeRequired);
  });
});

/** Gives the owner of an address a handle without the API: a second claim beside the one on the address. */
async function withHandle({ prefix }: OwnStack, email: string): Promise<string> {
  const handle = `h${randomUUID().slice(0, 8)}`;
  const dynamo = DynamoDBDocumentClient.from(new DynamoDBClient());
  const TableName = `${prefix}-accounts`;
  const { Item } = await dynamo.send(
    new GetCommand({ TableName, Key: { pk: `email#${email}`, sk: "claim" } }),
  );
  await dynamo.send(new PutCommand({ TableName, Item: { ...Item, pk: `handle#${handle}` } }));
  dynamo.destroy();
  return handle;
}
