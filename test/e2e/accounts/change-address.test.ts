import { describe, expect, it } from "vitest";
import { accountEditor } from "../../support/accounts.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { connectUsers } from "../../support/connections.ts";
import { eventually } from "../../support/eventually.ts";
import { messagesTo, nextMessage, wrongCode } from "../../support/messages.ts";
import { stackWith } from "../../support/stack-with.ts";
import { signedToken } from "../../support/tokens.ts";
import {
  activate,
  activationCode,
  logIn,
  newEmail,
  newPhone,
  newUser,
  register,
  registeredUser,
  somePassword,
  type User,
} from "../../support/users.ts";

const accounts = accountEditor();

type Tokens = Pick<User, "token" | "cookie">;

const changeEmail = ({ token, cookie }: Partial<Tokens>, email: unknown, prefix = "") =>
  api("PUT", `${prefix}/access/self/email`, { token, cookie, json: { email } });
const changePhone = ({ token }: Tokens, phone: unknown, prefix = "") =>
  api("PUT", `${prefix}/self/phone`, { token, json: { phone } });
const provideEmail = (userId: string, email: string, activation = "auto_activate") =>
  internalApi("PUT", `/i/self/email?email_activation=${activation}`, {
    json: { email },
    headers: { "Z-User": userId },
  });
const self = async ({ token }: Pick<User, "token">) => (await api("GET", "/self", { token })).body;
const redeem = (json: object) => api("POST", "/activate", { json });

async function eventsOf({ token }: Pick<User, "token">): Promise<object[]> {
  const { body } = await api("GET", "/notifications", { token });
  const events = body.notifications.flatMap(({ payload }: { payload: object[] }) => payload);
  return events.filter(
    ({ type }: { type: string }) => !/^(user\.activate|user\.connection|conversation\..*)$/.test(type),
  );
}

/** All events of a user so far; a last one, triggered here, shows that they are complete. */
async function eventsUpToNow(user: User): Promise<object[]> {
  await api("PUT", "/self", { token: user.token, json: { name: "the last event" } });
  return eventually(async () => {
    const events = await eventsOf(user);
    expect(events.at(-1)).toMatchObject({ user: { name: "the last event" } });
    return events.slice(0, -1);
  });
}

async function withPhone(user: User): Promise<User & { phone: string }> {
  const phone = newPhone();
  await changePhone(user, phone);
  await activate({ phone });
  return { ...user, phone };
}

/** Tokens of a user registered with these fields. */
async function registered(fields: Record<string, unknown>): Promise<Tokens & { id: string }> {
  const { cookie = "", body } = await register(fields);
  const access = await api("POST", "/access", { cookie });
  return { id: body.id, cookie, token: access.body.access_token };
}

describe.concurrent("changing the email address", () => {
  it.each(["", "/v0", "/v6", "/v8"])(
    "returns 202 under %j, mails an activation to the new address, and leaves the old one in use",
    async (prefix) => {
      const user = await newUser();
      const email = newEmail();
      expect(await changeEmail(user, email, prefix)).toMatchObject({ status: 202, body: [] });
      const { headers } = await nextMessage(email);

      expect(headers["X-Svc-Purpose"]).toBe("Activation");
      expect(await activationCode({ email })).toEqual({
        key: headers["X-Svc-Key"],
        code: headers["X-Svc-Code"],
      });
      expect(await self(user)).toMatchObject({ email: user.email, email_unvalidated: email });
      expect(outcome(await logIn(user))).toBe("200");
      expect(outcome(await logIn({ ...user, email }))).toBe("403 invalid-credentials");
      expect(await eventsUpToNow(user)).toEqual([]);
    },
  );

  it("takes effect with the code, is announced to the user's own devices only, and frees the old address", async () => {
    const [user, contact] = await Promise.all([newUser(), newUser()]);
    await connectUsers(user, contact);
    const email = newEmail();
    await changeEmail(user, email);
    expect((await activate({ email })).body).toEqual({ email, first: false });

    const profile = await self(user);
    expect(profile.email).toBe(email);
    expect(profile).not.toHaveProperty("email_unvalidated");
    expect(outcome(await logIn(user))).toBe("403 invalid-credentials");
    expect((await logIn({ ...user, email })).body.user).toBe(user.id);
    expect(outcome(await api("POST", "/access", user))).toBe("200");

    expect(await eventsUpToNow(user)).toEqual([{ type: "user.update", user: { id: user.id, email } }]);
    await eventually(async () => expect(await eventsOf(contact)).toHaveLength(1));
    expect(await eventsOf(contact)).toMatchObject([{ user: { name: "the last event" } }]);

    const next = await newUser({ email: user.email });
    expect(next.id).not.toBe(user.id);
    expect(outcome(await register({ email }))).toBe("409 key-exists");
  });

  it("replaces a pending change, and refuses its code with 404 invalid-code", async () => {
    const user = await newUser();
    const [first, second] = [newEmail(), newEmail()];
    await changeEmail(user, first);
    const outdated = await activationCode({ email: first });
    await changeEmail(user, second);

    expect(outcome(await redeem(outdated))).toBe("404 invalid-code");
    expect((await self(user)).email_unvalidated).toBe(second);
    expect(outcome(await activate({ email: second }))).toBe("200");
    expect(outcome(await redeem(outdated))).toBe("404 invalid-code");
    expect((await self(user)).email).toBe(second);
    expect(outcome(await register({ email: first }))).toBe("201");
  });

  it("sends the same code again for the pending address, and returns 204 once it has been used", async () => {
    const user = await newUser();
    const email = newEmail();
    await changeEmail(user, email);
    const pair = await activationCode({ email });
    expect(outcome(await changeEmail(user, email.toUpperCase()))).toBe("202");
    await nextMessage(email, { count: 1 });

    expect(await activationCode({ email })).toEqual(pair);
    expect(outcome(await redeem(pair))).toBe("200");
    expect(await redeem(pair)).toMatchObject({ status: 204, body: "" });
  });

  it("leaves no valid code for an address that was given up", async () => {
    const user = await newUser();
    const email = newEmail();
    await changeEmail(user, email);
    const pair = await activationCode({ email });
    await redeem(pair);
    await changeEmail(user, user.email);
    expect((await activate({ email: user.email })).body).toEqual({ email: user.email, first: false });

    expect(outcome(await redeem(pair))).toBe("404 invalid-code");
    expect(outcome(await logIn(user))).toBe("200");
    expect(outcome(await logIn({ ...user, email }))).toBe("403 invalid-credentials");
  });

  it("returns 204 and sends nothing for the current address", async () => {
    const user = await registeredUser();
    await nextMessage(user.email);
    expect(await changeEmail(user, user.email)).toMatchObject({ status: 204, body: "" });
    expect(outcome(await changeEmail(user, user.email.toUpperCase()))).toBe("204");
    expect(await self(user)).not.toHaveProperty("email_unvalidated");
    expect(await messagesTo(user.email)).toHaveLength(1);
  });

  it("accepts another spelling of the current address, which does not change the identity", async () => {
    const user = await newUser();
    const email = user.email.replace("@", "+news@");
    expect(outcome(await changeEmail(user, email))).toBe("202");
    expect((await activate({ email })).body).toEqual({ email, first: false });

    expect((await self(user)).email).toBe(email);
    for (const spelling of [user.email, email]) {
      expect(outcome(await logIn({ ...user, email: spelling }))).toBe("200");
      expect(outcome(await register({ email: spelling }))).toBe("409 key-exists");
    }
    expect(await eventsUpToNow(user)).toEqual([{ type: "user.update", user: { id: user.id, email } }]);
  });

  it("returns 409 key-exists for somebody else's address, unless that was never activated", async () => {
    const [user, other] = await Promise.all([newUser(), newUser()]);
    for (const taken of [other.email, other.email.replace("@", "+x@")]) {
      expect(outcome(await changeEmail(user, taken))).toBe("409 key-exists");
    }
    const email = newEmail();
    const late = await registered({ email, password: "the late password" });
    expect(outcome(await changeEmail(user, email))).toBe("202");
    expect(outcome(await activate({ email }))).toBe("200");
    expect((await self(user)).email).toBe(email);
    expect(outcome(await api("POST", "/activate/send", { json: { email } }))).toBe("409 key-exists");
    expect(await self(late)).not.toHaveProperty("email");
  });

  it("refuses a malformed address with 400 invalid-email and a blocked one with 403 blacklisted-email", async () => {
    const user = await newUser();
    for (const email of ["nobody", "@example.com", "a@b@c", "x".repeat(300)]) {
      expect(outcome(await changeEmail(user, email))).toBe("400 invalid-email");
    }
    for (const email of ["", 7, null, undefined]) {
      expect(outcome(await changeEmail(user, email))).toBe("400 bad-request");
    }
    const email = newEmail();
    await internalApi("POST", `/i/users/blacklist?email=${email}`);
    expect(outcome(await changeEmail(user, email))).toBe("403 blacklisted-email");
    await internalApi("POST", `/i/users/blacklist?email=${user.email}`);
    expect(outcome(await changeEmail(user, user.email))).toBe("204");
    expect(await self(user)).not.toHaveProperty("email_unvalidated");
  });

  it("moves a pending first activation to the new address", async () => {
    const [wrong, right] = [newEmail(), newEmail()];
    const user = await registered({ email: wrong, password: somePassword });
    const outdated = await activationCode({ email: wrong });
    expect(outcome(await changeEmail(user, right))).toBe("202");
    expect(outcome(await logIn({ email: right, password: somePassword }))).toBe("403 pending-activation");

    expect(outcome(await redeem(outdated))).toBe("404 invalid-code");
    expect((await activate({ email: right })).body).toEqual({ email: right, first: true });
    expect(outcome(await logIn({ email: right, password: somePassword }))).toBe("200");
  });

  it("refuses an anonymous account with 403 no-identity", async () => {
    expect(outcome(await changeEmail(await registered({}), newEmail()))).toBe("403 no-identity");
  });

  it("cancels a password reset that was requested for the old address", async () => {
    const user = await newUser();
    await api("POST", "/password-reset", { json: { email: user.email } });
    const { body: pair } = await internalApi("GET", `/i/users/password-reset-code?email=${user.email}`);
    const email = newEmail();
    await changeEmail(user, email);
    await activate({ email });

    const json = { ...pair, password: "a new password" };
    expect(outcome(await api("POST", "/password-reset/complete", { json }))).toBe("400 invalid-code");
    expect(outcome(await logIn({ ...user, email }))).toBe("200");
  });

  it("refuses the right code after three wrong ones, and changes nothing on a dry run", async () => {
    const user = await newUser();
    const email = newEmail();
    await changeEmail(user, email);
    const { code } = await activationCode({ email });
    expect(outcome(await redeem({ email, code, dryrun: true }))).toBe("200");
    expect((await self(user)).email).toBe(user.email);
    for (let attempt = 0; attempt < 3; attempt++) await redeem({ email, code: wrongCode(code) });
    expect(outcome(await redeem({ email, code }))).toBe("404 invalid-code");

    await changeEmail(user, email);
    expect(outcome(await activate({ email }))).toBe("200");
  });

  it("returns 403 invalid-credentials without a valid cookie and a valid access token of the same user", async () => {
    const [user, other] = await Promise.all([newUser(), newUser()]);
    const { cookie: revoked = "" } = await logIn(user);
    const access = await api("POST", "/access", { cookie: revoked });
    await api("POST", "/access/logout", { cookie: revoked, token: access.body.access_token });
    const past = { userId: user.id, expiresAtSeconds: Math.floor(Date.now() / 1000) - 60 };
    const forge = (token: string) => token.replace(/^./, (first) => (first === "A" ? "B" : "A"));
    const bad: Record<string, Partial<Tokens>> = {
      nothing: {},
      "no cookie": { token: user.token },
      "no token": { cookie: user.cookie },
      "somebody else's cookie": { token: user.token, cookie: other.cookie },
      "a revoked cookie": { token: user.token, cookie: revoked },
      "a cookie without a record": {
        token: user.token,
        cookie: await signedToken({ userId: user.id, type: "cookie", cookieId: 7 }),
      },
      "a forged cookie": { token: user.token, cookie: forge(user.cookie) },
      "a forged token": { token: forge(user.token), cookie: user.cookie },
      "an expired token": { token: await signedToken(past), cookie: user.cookie },
      "an expired cookie": {
        token: user.token,
        cookie: await signedToken({ ...past, type: "cookie", cookieId: 7 }),
      },
      "each in the place of the other": { token: user.cookie, cookie: user.token },
      garbage: { token: "garbage", cookie: "garbage" },
      "a legal-hold token": {
        token: await signedToken({ userId: user.id, type: "legalhold-access" }),
        cookie: user.cookie,
      },
    };
    const answers = await Promise.all(
      Object.entries(bad).map(async ([name, tokens]) => [name, outcome(await changeEmail(tokens, "nobody"))]),
    );
    expect(answers).toEqual(Object.keys(bad).map((name) => [name, "403 invalid-credentials"]));
    expect(await self(user)).not.toHaveProperty("email_unvalidated");
  });

  it("respects the allow-list and the rate limit on codes", async () => {
    const apis = await stackWith({
      setAllowlistEmailDomains: ["example.com"],
      setAllowlistPhonePrefixes: ["+49"],
      setCodeDeliveryRateLimit: { burst: 2, refillSeconds: 60 },
    });
    const { token, cookie } = await newUser({}, apis);
    const put = (email: string) =>
      apis.publicApi("PUT", "/access/self/email", { token, cookie, json: { email } });
    expect(outcome(await put("ada@example.org"))).toBe("403 unauthorized");
    const phone = { json: { phone: "+431511234567" }, token };
    expect(outcome(await apis.publicApi("PUT", "/self/phone", phone))).toBe("403 unauthorized");

    const email = newEmail();
    const outcomes = [];
    for (let count = 0; count < 3; count++) outcomes.push(outcome(await put(email)));
    expect(outcomes).toEqual(["202", "202", "429 too-many-requests"]);
  });
});

describe.concurrent("changing the phone number", () => {
  it.each(["", "/v0", "/v6", "/v8"])(
    "returns 202 under %j, sends a code, and takes effect with it",
    async (prefix) => {
      const user = await newUser();
      const phone = newPhone();
      expect(await changePhone(user, phone, prefix)).toMatchObject({ status: 202, body: "" });
      expect((await nextMessage(phone)).kind).toBe("sms");
      expect(await self(user)).not.toHaveProperty("phone");

      expect((await activate({ phone })).body).toEqual({ phone, first: false });
      expect(await self(user)).toMatchObject({ phone, email: user.email });
      expect(await eventsUpToNow(user)).toEqual([{ type: "user.update", user: { id: user.id, phone } }]);
    },
  );

  it("frees the old number, and accepts only the code for the latest number", async () => {
    const user = await withPhone(await newUser());
    const [first, second] = [newPhone(), newPhone()];
    await changePhone(user, first);
    const outdated = await activationCode({ phone: first });
    await changePhone(user, second);
    expect(outcome(await redeem(outdated))).toBe("404 invalid-code");
    expect(outcome(await activate({ phone: second }))).toBe("200");

    const json = (phone: string) => ({ json: { phone, password: somePassword } });
    expect(outcome(await api("POST", "/login", json(user.phone)))).toBe("403 invalid-credentials");
    expect((await api("POST", "/login", json(second))).body.user).toBe(user.id);
    expect(outcome(await register({ phone: user.phone }))).toBe("201");
  });

  it("requires a code even for the current number, and sends no event for it", async () => {
    const user = await withPhone(await newUser());
    expect(outcome(await changePhone(user, user.phone))).toBe("202");
    expect((await activate({ phone: user.phone })).body).toEqual({ phone: user.phone, first: false });
    expect(await eventsUpToNow(user)).toHaveLength(1);
  });

  it("refuses a malformed, blocked or taken number, and an account without an identity", async () => {
    const [user, other] = await Promise.all([newUser(), newUser().then(withPhone)]);
    const blocked = newPhone();
    await internalApi("POST", `/i/users/blacklist?${new URLSearchParams({ phone: blocked })}`);
    expect(outcome(await changePhone(user, "12"))).toBe("400 invalid-phone");
    expect(outcome(await changePhone(user, 12))).toBe("400 bad-request");
    expect(outcome(await changePhone(user, blocked))).toBe("403 blacklisted-phone");
    expect(outcome(await changePhone(user, other.phone))).toBe("409 key-exists");
    expect(outcome(await changePhone(await registered({}), newPhone()))).toBe("403 no-identity");
    expect((await api("PUT", "/self/phone", { json: { phone: newPhone() } })).status).toBe(401);
  });
});

describe.concurrent("removing an address or number", () => {
  const remove = ({ token }: Tokens, kind: string, prefix = "") =>
    api("DELETE", `${prefix}/self/${kind}`, { token });

  it.each(["email", "phone"] as const)(
    "frees the %s, notifies only the user's own devices, and keeps the last identity",
    async (kind) => {
      const [user, contact] = await Promise.all([newUser().then(withPhone), newUser()]);
      await connectUsers(user, contact);
      const other = kind === "email" ? "phone" : "email";
      expect(await remove(user, kind)).toMatchObject({ status: 200, body: "" });

      const profile = await self(user);
      expect(profile).not.toHaveProperty(kind);
      expect(profile[other]).toBe(user[other]);
      const login = (field: "email" | "phone") =>
        api("POST", "/login", { json: { [field]: user[field], password: user.password } });
      expect(outcome(await login(kind))).toBe("403 invalid-credentials");
      expect(outcome(await login(other))).toBe("200");
      expect((await eventsUpToNow(user)).slice(1)).toEqual([
        { type: "user.identity-remove", user: { id: user.id, [kind]: user[kind] } },
      ]);
      await eventually(async () => expect(await eventsOf(contact)).toHaveLength(1));

      expect(outcome(await register({ [kind]: user[kind] }))).toBe("201");
      expect(outcome(await remove(user, kind, "/v8"))).toBe("403 last-identity");
      expect(outcome(await remove(user, other, "/v0"))).toBe("403 last-identity");
    },
  );

  it("returns 403 last-identity, no-password, or no-identity before activation", async () => {
    const onlyEmail = await newUser();
    const phone = newPhone();
    const onlyPhone = await registered({ phone });
    await activate({ phone });
    for (const kind of ["email", "phone"]) {
      expect(outcome(await remove(onlyEmail, kind))).toBe("403 last-identity");
      expect(outcome(await remove(onlyPhone, kind))).toBe("403 last-identity");
      expect(outcome(await remove(await registered({ email: newEmail() }), kind))).toBe("403 no-identity");
      expect(outcome(await remove(await registered({}), kind))).toBe("403 no-identity");
    }
    const email = newEmail();
    expect(outcome(await changeEmail(onlyPhone, email))).toBe("202");
    await activate({ email });
    for (const kind of ["email", "phone"]) {
      expect(outcome(await remove(onlyPhone, kind))).toBe("403 no-password");
    }
  });

  it("keeps one of them when both are removed concurrently", async () => {
    const user = await newUser().then(withPhone);
    const answers = await Promise.all([remove(user, "email"), remove(user, "phone")]);
    expect(answers.map(outcome).toSorted()).toEqual(["200", "403 last-identity"]);
  });

  it("cancels a pending password reset", async () => {
    const user = await newUser().then(withPhone);
    await api("POST", "/password-reset", { json: { email: user.email } });
    const { body: pair } = await internalApi("GET", `/i/users/password-reset-code?email=${user.email}`);
    await remove(user, "email");
    const json = { ...pair, password: "a new password" };
    expect(outcome(await api("POST", "/password-reset/complete", { json }))).toBe("400 invalid-code");
  });
});

describe.concurrent("PUT /i/self/email", () => {
  it("takes effect immediately with auto_activate, and may be repeated", async () => {
    const user = await newUser();
    const email = newEmail();
    expect(await provideEmail(user.id, email)).toMatchObject({ status: 204, body: "" });
    expect(await self(user)).toMatchObject({ email });
    expect(outcome(await logIn({ ...user, email }))).toBe("200");
    expect(outcome(await logIn(user))).toBe("403 invalid-credentials");
    expect(await provideEmail(user.id, email)).toMatchObject({ status: 204, body: "" });
    expect(await messagesTo(email)).toEqual([]);
    expect(await eventsUpToNow(user)).toEqual([{ type: "user.update", user: { id: user.id, email } }]);
  });

  it("completes a pending change to the same address, and the code of that change then returns 204", async () => {
    const user = await newUser();
    const email = newEmail();
    await changeEmail(user, email);
    const pair = await activationCode({ email });
    await provideEmail(user.id, email);
    expect(await self(user)).not.toHaveProperty("email_unvalidated");
    expect(outcome(await redeem(pair))).toBe("204");
  });

  it("sends user.activate when it activates an account for the first time", async () => {
    const user = await registered({ email: newEmail() });
    const email = newEmail();
    await provideEmail(user.id, email);
    const events = await eventually(async () => {
      const { body } = await api("GET", "/notifications", { token: user.token });
      expect(body.notifications).toHaveLength(1);
      return body.notifications[0].payload;
    });
    expect(events).toEqual([{ type: "user.activate", user: await self(user) }]);
  });

  it.each(["send_activation_email", undefined])(
    "mails a code with email_activation %s",
    async (activation) => {
      const user = await newUser();
      const email = newEmail();
      const query = activation === undefined ? "" : `?email_activation=${activation}`;
      const json = { email };
      const headers = { "Z-User": user.id.toUpperCase() };
      expect((await internalApi("PUT", `/i/self/email${query}`, { json, headers })).status).toBe(202);
      expect((await nextMessage(email)).headers["X-Svc-Purpose"]).toBe("Activation");
      expect((await activate({ email })).body).toEqual({ email, first: false });
    },
  );

  it("also changes accounts managed by SCIM, and makes all other checks", async () => {
    const [user, other] = await Promise.all([newUser(), newUser()]);
    await accounts.change(user, { managedByScim: true });
    expect(outcome(await provideEmail(user.id, newEmail()))).toBe("204");
    expect(outcome(await provideEmail(user.id, other.email))).toBe("409 key-exists");
    expect(outcome(await provideEmail(user.id, "nobody"))).toBe("400 invalid-email");
    expect(outcome(await provideEmail(user.id, newEmail(), "at_once"))).toBe("400 bad-request");
    expect(outcome(await provideEmail(crypto.randomUUID(), newEmail()))).toBe("404 not-found");
    expect(outcome(await provideEmail("nobody", newEmail()))).toBe("400 bad-request");
    const anonymous = await registered({});
    expect(outcome(await provideEmail(anonymous.id, newEmail()))).toBe("403 no-identity");
    const blocked = newEmail();
    await internalApi("POST", `/i/users/blacklist?email=${blocked}`);
    expect(outcome(await provideEmail(user.id, blocked))).toBe("403 blacklisted-email");
  });
});

describe.concurrent("concurrent changes", () => {
  it("to one address give it to one user", async () => {
    const email = newEmail();
    const users = await Promise.all(Array.from({ length: 20 }, () => newUser()));
    const answers = await Promise.all(users.map(({ id }) => provideEmail(id, email)));

    const outcomes = answers.map(outcome);
    expect(outcomes.toSorted()).toEqual(["204", ...Array(19).fill("409 key-exists")]);
    const winner = users[outcomes.indexOf("204")];
    expect((await logIn({ email, password: somePassword })).body.user).toBe(winner?.id);
    for (const user of users) {
      expect(outcome(await logIn(user))).toBe(user === winner ? "403 invalid-credentials" : "200");
    }
  });

  it("to an address that somebody else is confirming leave it to them", async () => {
    for (let round = 0; round < 3; round++) {
      const email = newEmail();
      const [early, late] = await Promise.all([newUser(), newUser()]);
      await changeEmail(early, email);
      const pair = await activationCode({ email });
      const [confirmed, changed] = await Promise.all([redeem(pair), changeEmail(late, email)]);

      expect(outcome(confirmed)).toBe("200");
      expect(["202", "409 key-exists"]).toContain(outcome(changed));
      expect((await self(early)).email).toBe(email);
      expect((await self(late)).email).toBe(late.email);
    }
  });

  it("leave one of two addresses when the other is being confirmed", async () => {
    const user = await newUser();
    const [first, second] = [newEmail(), newEmail()];
    await changeEmail(user, first);
    const pair = await activationCode({ email: first });
    const [activated, changed] = await Promise.all([redeem(pair), changeEmail(user, second)]);
    expect(changed.status).toBe(202);
    expect(["200", "404 invalid-code"]).toContain(outcome(activated));
    const { email } = await self(user);
    expect(email).toBe(activated.status === 200 ? first : user.email);
    expect(outcome(await logIn({ ...user, email }))).toBe("200");
    expect(outcome(await activate({ email: second }))).toBe("200");
  });

  it("by one user leave the one committed last", async () => {
    const user = await newUser();
    const emails = Array.from({ length: 5 }, newEmail);
    const answers = await Promise.all(emails.map((email) => changeEmail(user, email)));
    expect(answers.map(outcome)).toEqual(Array(5).fill("202"));
    const { email_unvalidated } = await self(user);
    for (const email of emails) {
      const expected = email === email_unvalidated ? "200" : "404 invalid-code";
      expect(outcome(await activate({ email }))).toBe(expected);
    }
  });
});
