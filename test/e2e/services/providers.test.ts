import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { nextMessage } from "../../support/messages.ts";
import {
  activateProvider,
  logInProvider,
  newProvider,
  newProviderEmail,
  providerCode,
  providerTokenIn,
  registerProvider,
} from "../../support/providers.ts";
import { stackWith } from "../../support/stack-with.ts";
import { signedServiceToken } from "../../support/tokens.ts";
import { newUser, somePassword } from "../../support/users.ts";

const accountOf = (token: string) => api("GET", "/provider", { token });

describe.concurrent("a provider", () => {
  it("logs in only once it is activated, with a cookie for its paths (rule 13)", async () => {
    const email = newProviderEmail();
    const { status, body } = await registerProvider({ email });
    expect({ status, body }).toEqual({ status: 201, body: { id: expect.any(String) } });
    expect(outcome(await logInProvider({ email }))).toBe("403 invalid-credentials");

    expect(await activateProvider(email)).toMatchObject({ status: 200, body: { email } });
    const login = await logInProvider({ email });
    expect({ status: login.status, body: login.body }).toEqual({ status: 200, body: "" });
    expect(login.setCookie).toMatch(
      /^zprovider=[\w=.-]+; Path=\/provider; Expires=\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT; HttpOnly; Secure$/,
    );
    const cookie = `zprovider=${providerTokenIn(login)}`;
    expect(await api("GET", "/provider", { headers: { cookie } })).toMatchObject({
      status: 200,
      body: {
        id: body.id,
        name: "Acme",
        email,
        url: "https://acme.example.com",
        description: "Bots for everybody",
      },
    });
  });

  it("gets the address that two have registered if it activates first; the other gets 409 (rule 14)", async () => {
    const email = newProviderEmail();
    const { body: first } = await registerProvider({ email });
    const code = await providerCode(email);
    const { body: second } = await registerProvider({ email, password: "another password" });
    const otherCode = await providerCode(email);
    expect(otherCode.key).toBe(code.key);
    expect(second.id).not.toBe(first.id);

    expect(outcome(await activateProvider(email, { code }))).toBe("200");
    expect(outcome(await activateProvider(email, { code: otherCode }))).toBe("409 email-exists");
    expect(outcome(await activateProvider(email, { code }))).toBe("204");
    const login = await logInProvider({ email });
    expect((await accountOf(providerTokenIn(login))).body.id).toBe(first.id);
    expect(outcome(await logInProvider({ email, password: "another password" }))).toBe(
      "403 invalid-credentials",
    );
    expect(outcome(await registerProvider({ email }))).toBe("409 email-exists");
    const elsewhere = email.replace("@", "+news@").toUpperCase();
    expect(outcome(await registerProvider({ email: elsewhere }))).toBe("409 email-exists");
  });

  it("is not a user, and no user is a provider (rule 15)", async () => {
    const [user, provider] = await Promise.all([newUser(), newProvider()]);
    expect(outcome(await accountOf(user.token))).toBe("403 access-denied");
    expect(outcome(await api("GET", "/self", { token: provider.token }))).toBe("403 access-denied");
    expect(outcome(await api("GET", "/provider"))).toBe("401 unauthorized");
    expect(outcome(await accountOf(user.cookie))).toBe("403 access-denied");
    expect(outcome(await registerProvider({ email: user.email }))).toBe("201");
  });

  it("can have one reset pending; a second request is 409 with Retry-After (rule 16)", async () => {
    const { email } = await newProvider();
    const ask = () => api("POST", "/provider/password-reset", { json: { email } });
    expect(outcome(await ask())).toBe("201");
    const second = await ask();
    expect(outcome(second)).toBe("409 code-exists");
    const retryAfter = Number(second.headers.get("retry-after"));
    expect(retryAfter).toBeGreaterThan(3500);
    expect(retryAfter).toBeLessThanOrEqual(3600);
  });

  it("gets a password if it sends none, and sees it only once", async () => {
    const email = newProviderEmail();
    const { body } = await registerProvider({ email, password: undefined });
    expect(body.password).toMatch(/^[A-Za-z0-9+/]{16}$/);
    await activateProvider(email);
    expect(outcome(await logInProvider({ email, password: body.password }))).toBe("200");
  });

  it("is registered only with valid fields", async () => {
    const email = newProviderEmail();
    const outcomeOf = async (fields: Record<string, unknown>) => outcome(await registerProvider(fields));
    expect(await outcomeOf({ email: "no address" })).toBe("400 invalid-email");
    expect(await outcomeOf({ email, url: "http://acme.example.com" })).toBe("400 bad-request");
    expect(await outcomeOf({ email, name: "" })).toBe("400 bad-request");
    expect(await outcomeOf({ email, description: "x".repeat(1025) })).toBe("400 bad-request");
    expect(await outcomeOf({ email, password: "short" })).toBe("400 bad-request");
    const path = `/i/provider/activation-code?email=${email}`;
    expect(outcome(await internalApi("GET", path))).toBe("404 not-found");
  });

  it("changes its description in the fields that it sends, and keeps the others", async () => {
    const { id, email, token } = await newProvider();
    const description = "New bots for everybody";
    expect(outcome(await api("PUT", "/provider", { token, json: { description } }))).toBe("200");
    expect(outcome(await api("PUT", "/provider", { token, json: {} }))).toBe("200");
    const expected = { id, email, name: "Acme", url: "https://acme.example.com", description };
    expect((await accountOf(token)).body).toEqual(expected);

    const user = await newUser();
    const profile = (pid: string) => api("GET", `/providers/${pid}`, { token: user.token });
    expect((await profile(id)).body).toEqual(expected);
    expect(outcome(await profile(randomUUID()))).toBe("404 not-found");
    const { body: waiting } = await registerProvider({ email: newProviderEmail() });
    expect(outcome(await profile(waiting.id))).toBe("404 not-found");
  });

  it("that is deleted gets an error from each operation", async () => {
    const token = await signedServiceToken({
      type: "provider",
      providerId: randomUUID(),
      expiresAtSeconds: Math.floor(Date.now() / 1000) + 3600,
    });
    const passwords = { old_password: somePassword, new_password: "another password" };
    const json = { password: somePassword };
    expect(outcome(await accountOf(token))).toBe("404 not-found");
    expect(outcome(await api("PUT", "/provider", { token, json: {} }))).toBe("403 invalid-provider");
    expect(outcome(await api("PUT", "/provider/email", { token, json: { email: newProviderEmail() } }))).toBe(
      "403 invalid-provider",
    );
    expect(outcome(await api("PUT", "/provider/password", { token, json: passwords }))).toBe(
      "403 invalid-credentials",
    );
    expect(outcome(await api("DELETE", "/provider", { token, json }))).toBe("403 invalid-provider");
  });
});

describe.concurrent("an activation code", () => {
  it("for an unknown address is refused, as is a wrong code", async () => {
    const email = newProviderEmail();
    await registerProvider({ email });
    const { key, code } = await providerCode(email);
    expect(key).toMatch(/^[\w-]{20}$/);
    expect(code).toMatch(/^[\w-]{20}$/);
    for (const wrong of [
      { key, code: `${code}x` },
      { key: "unknown", code },
    ]) {
      expect(outcome(await activateProvider(email, { code: wrong }))).toBe("403 invalid-code");
    }
    expect(outcome(await api("HEAD", `/provider/activate?key=${key}&code=${code}`))).toBe("405");
    expect(outcome(await activateProvider(email))).toBe("200");
  });

  it("is invalid after three wrong ones", async () => {
    const email = newProviderEmail();
    await registerProvider({ email });
    const { key, code } = await providerCode(email);
    const attempts = await Promise.all(
      Array.from({ length: 5 }, () => activateProvider(email, { code: { key, code: "wrong" } })),
    );
    expect(new Set(attempts.map(outcome))).toEqual(new Set(["403 invalid-code"]));
    expect(outcome(await activateProvider(email, { code: { key, code } }))).toBe("403 invalid-code");
  });

  it("activates once when it is sent several times concurrently", async () => {
    const email = newProviderEmail();
    await registerProvider({ email });
    const code = await providerCode(email);
    const answers = await Promise.all(Array.from({ length: 3 }, () => activateProvider(email, { code })));
    expect(answers.map(outcome).toSorted()).toEqual(["200", "204", "204"]);
  });

  it("gives an address to one of two providers that activate concurrently", async () => {
    const email = newProviderEmail();
    await registerProvider({ email });
    const code = await providerCode(email);
    await registerProvider({ email });
    const other = await providerCode(email);
    const answers = await Promise.all([code, other].map((one) => activateProvider(email, { code: one })));
    expect(answers.map(outcome).toSorted()).toEqual(["200", "409 email-exists"]);
  });

  it("comes by a mail that names the account, and is followed by a welcome", async () => {
    const email = newProviderEmail();
    await registerProvider({ email, name: "Ada's bots" });
    const mail = await nextMessage(email, { purpose: "ProviderActivation" });
    const { key, code } = await providerCode(email);
    expect(mail.headers).toMatchObject({ "X-Svc-Key": key, "X-Svc-Code": code });
    expect(mail.text).toContain("New account: Ada's bots");
    expect(mail.text).toContain(`/provider/activate/confirm?key=${key}&code=${code}`);
    await activateProvider(email);
    const welcome = await nextMessage(email, { purpose: "ProviderApprovalConfirm" });
    expect(welcome.headers).not.toHaveProperty("X-Svc-Code");
  });
});

describe.concurrent("a change of the address", () => {
  const askFor = (token: string, email: string) => api("PUT", "/provider/email", { token, json: { email } });

  it("takes effect with the code sent to the new one, and frees the old one", async () => {
    const { id, email, token } = await newProvider();
    const next = newProviderEmail();
    expect(outcome(await askFor(token, next))).toBe("202");
    expect((await accountOf(token)).body.email).toBe(email);
    const mail = await nextMessage(next, { purpose: "ProviderActivation" });
    expect(mail.text).toContain("Existing account: Acme");

    expect(await activateProvider(next)).toMatchObject({ status: 200, body: { email: next } });
    expect((await accountOf(token)).body).toMatchObject({ id, email: next });
    expect(outcome(await logInProvider({ email }))).toBe("403 invalid-credentials");
    expect(outcome(await logInProvider({ email: next }))).toBe("200");
    const successor = await newProvider({ email });
    expect(successor.id).not.toBe(id);
  });

  it("to an address of an active provider is refused, even to its own", async () => {
    const [one, other] = await Promise.all([newProvider(), newProvider()]);
    expect(outcome(await askFor(one.token, other.email))).toBe("409 email-exists");
    expect(outcome(await askFor(one.token, one.email))).toBe("409 email-exists");
    expect(outcome(await askFor(one.token, "no address"))).toBe("400 invalid-email");
  });

  it("cannot be repeated once the provider has changed its address again", async () => {
    const { token, email } = await newProvider();
    const [second, third] = [newProviderEmail(), newProviderEmail()];
    await askFor(token, second);
    const code = await providerCode(second);
    await activateProvider(second, { code });
    await askFor(token, third);
    await activateProvider(third);
    expect(outcome(await activateProvider(second, { code }))).toBe("403 invalid-code");
    expect((await accountOf(token)).body.email).toBe(third);
    expect(outcome(await logInProvider({ email }))).toBe("403 invalid-credentials");
  });

  it("cancels the reset that was sent to the old one", async () => {
    const { email, token } = await newProvider();
    await api("POST", "/provider/password-reset", { json: { email } });
    const reset = await providerCode(email, { kind: "password-reset" });
    const next = newProviderEmail();
    await askFor(token, next);
    await activateProvider(next);
    const json = { ...reset, password: "another password" };
    expect(outcome(await api("POST", "/provider/password-reset/complete", { json }))).toBe(
      "403 invalid-code",
    );
    expect(outcome(await logInProvider({ email: next }))).toBe("200");
  });

  it("is cancelled when the password changes, because a thief may have begun it", async () => {
    const { email, password, token } = await newProvider();
    const thiefs = newProviderEmail();
    await askFor(token, thiefs);
    const json = { old_password: password, new_password: "another password" };
    expect(outcome(await api("PUT", "/provider/password", { token, json }))).toBe("200");
    expect(outcome(await activateProvider(thiefs))).toBe("403 invalid-code");
    expect((await accountOf(token)).body.email).toBe(email);
  });

  it("and a concurrent change of the password both succeed, or the code becomes invalid", async () => {
    const { email, password, token } = await newProvider();
    const next = newProviderEmail();
    await askFor(token, next);
    const code = await providerCode(next);
    const json = { old_password: password, new_password: "another password" };
    const [activation, change] = await Promise.all([
      activateProvider(next, { code }),
      api("PUT", "/provider/password", { token, json }),
    ]);
    expect(outcome(change)).toBe("200");
    expect(["200", "403 invalid-code"]).toContain(outcome(activation));
    const current = activation.status === 200 ? next : email;
    expect((await accountOf(token)).body.email).toBe(current);
    expect(outcome(await logInProvider({ email: current, password: "another password" }))).toBe("200");
  });
});

describe.concurrent("a password", () => {
  const change = (token: string, old_password: string, new_password: string) =>
    api("PUT", "/provider/password", { token, json: { old_password, new_password } });

  it("is changed by a provider who knows the old one, and tokens stay valid", async () => {
    const { email, password, token } = await newProvider();
    expect(outcome(await change(token, "wrong password", "another password"))).toBe(
      "403 invalid-credentials",
    );
    expect(outcome(await change(token, password, password))).toBe("409 password-must-differ");
    expect(outcome(await change(token, password, "another password"))).toBe("200");
    expect(outcome(await logInProvider({ email }))).toBe("403 invalid-credentials");
    expect(outcome(await logInProvider({ email, password: "another password" }))).toBe("200");
    expect(outcome(await accountOf(token))).toBe("200");
  });

  it("is changed by one of two requests with the old one", async () => {
    const { email, password, token } = await newProvider();
    const answers = await Promise.all([
      change(token, password, "password of one"),
      change(token, password, "password of the other"),
    ]);
    expect(answers.map(outcome).toSorted()).toEqual(["200", "403 invalid-credentials"]);
    const winner = outcome(answers[0]) === "200" ? "password of one" : "password of the other";
    expect(outcome(await logInProvider({ email, password: winner }))).toBe("200");
  });

  it("is reset with the code of a mail, once", async () => {
    const { email, password } = await newProvider();
    await api("POST", "/provider/password-reset", { json: { email } });
    const mail = await nextMessage(email, { purpose: "ProviderPasswordReset" });
    const reset = { key: mail.headers["X-Svc-Key"], code: mail.headers["X-Svc-Code"] };
    expect(reset).toEqual(await providerCode(email, { kind: "password-reset" }));
    const complete = (fields: object) =>
      api("POST", "/provider/password-reset/complete", { json: { ...reset, ...fields } });

    expect(outcome(await complete({ password }))).toBe("409 password-must-differ");
    expect(outcome(await complete({ code: "wrong", password: "another password" }))).toBe("403 invalid-code");
    expect(outcome(await complete({ password: "another password" }))).toBe("200");
    expect(outcome(await complete({ password: "a third password" }))).toBe("403 invalid-code");
    expect(outcome(await logInProvider({ email, password: "another password" }))).toBe("200");
  });

  it("is reset by one of several who send the code concurrently", async () => {
    const { email } = await newProvider();
    await api("POST", "/provider/password-reset", { json: { email } });
    const reset = await providerCode(email, { kind: "password-reset" });
    const passwords = ["password of one", "password of another", "password of a third"];
    const answers = await Promise.all(
      passwords.map((password) =>
        api("POST", "/provider/password-reset/complete", { json: { ...reset, password } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const winner = passwords[answers.findIndex(({ status }) => status === 200)] ?? "";
    expect(outcome(await logInProvider({ email, password: winner }))).toBe("200");
  });

  it("cannot be reset for an address that no active provider has", async () => {
    const waiting = newProviderEmail();
    await registerProvider({ email: waiting });
    for (const email of [waiting, newProviderEmail()]) {
      expect(outcome(await api("POST", "/provider/password-reset", { json: { email } }))).toBe(
        "403 invalid-credentials",
      );
    }
    expect(outcome(await logInProvider({ email: "no address" }))).toBe("403 invalid-credentials");
  });

  it("that is changed cancels a pending reset", async () => {
    const { email, password, token } = await newProvider();
    await api("POST", "/provider/password-reset", { json: { email } });
    const reset = await providerCode(email, { kind: "password-reset" });
    await change(token, password, "another password");
    const json = { ...reset, password: "a third password" };
    expect(outcome(await api("POST", "/provider/password-reset/complete", { json }))).toBe(
      "403 invalid-code",
    );
  });
});

describe.concurrent("limits", () => {
  it("apply to codes per address, with Retry-After, and codes and tokens expire", async () => {
    const stack = await stackWith({ set2FACodeGenerationDelaySecs: 300 }, { isClockStopped: true });
    const email = newProviderEmail();
    expect(outcome(await registerProvider({ email }, stack))).toBe("201");
    const code = await providerCode(email, { apis: stack });
    const second = await registerProvider({ email }, stack);
    expect(outcome(second)).toBe("429 too-many-requests");
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(290);
    stack.advance(301);
    expect(outcome(await registerProvider({ email }, stack))).toBe("201");
    stack.advance(86_400 - 200);
    expect(outcome(await activateProvider(email, { code, apis: stack }))).toBe("403 invalid-code");
    expect(outcome(await activateProvider(email, { apis: stack }))).toBe("200");

    const token = providerTokenIn(await logInProvider({ email }, stack));
    const { id, ...account } = (await stack.publicApi("GET", "/provider", { token })).body;
    expect(account).toMatchObject({ email });
    stack.advance(899);
    expect(outcome(await stack.publicApi("GET", "/provider", { token }))).toBe("200");
    stack.advance(2);
    expect(outcome(await stack.publicApi("GET", "/provider", { token }))).toBe("401 unauthorized");

    const ask = () => stack.publicApi("POST", "/provider/password-reset", { json: { email } });
    expect(outcome(await ask())).toBe("201");
    const reset = await providerCode(email, { kind: "password-reset", apis: stack });
    for (const wrong of ["a", "b", "c"]) {
      const json = { ...reset, code: wrong, password: "another password" };
      await stack.publicApi("POST", "/provider/password-reset/complete", { json });
    }
    expect(outcome(await ask())).toBe("429 too-many-requests");
    stack.advance(3601);
    const json = { ...reset, password: "another password" };
    expect(outcome(await stack.publicApi("POST", "/provider/password-reset/complete", { json }))).toBe(
      "403 invalid-code",
    );
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("apply to passwords hashed for one network, and to wrong ones for one provider", async () => {
    const stack = await stackWith({
      setPasswordHashingRateLimit: { perIp: { burst: 2, refillSeconds: 600 } },
      setLimitFailedLogins: { timeout: 600, retryLimit: 2 },
    });
    const email = newProviderEmail();
    const provider = await newProvider({ email, apis: stack });
    expect(outcome(await registerProvider({ email }, stack))).toBe("409 email-exists");
    expect(outcome(await registerProvider({ email: newProviderEmail() }, stack))).toBe("201");
    expect(outcome(await registerProvider({ email: newProviderEmail() }, stack))).toBe(
      "429 too-many-requests",
    );

    for (const address of [email, newProviderEmail()]) {
      const guess = () => logInProvider({ email: address, password: "wrong password" }, stack);
      expect([outcome(await guess()), outcome(await guess()), outcome(await guess())]).toEqual([
        "403 invalid-credentials",
        "403 invalid-credentials",
        "429 too-many-requests",
      ]);
    }
    const remove = (password: string) =>
      stack.publicApi("DELETE", "/provider", { token: provider.token, json: { password } });
    await remove("wrong password");
    await remove("wrong password");
    const third = await remove(provider.password);
    expect(outcome(third)).toBe("429 too-many-requests");
    expect(Number(third.headers.get("retry-after"))).toBeGreaterThan(500);
  });
});
