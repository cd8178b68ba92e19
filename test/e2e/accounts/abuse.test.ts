import { describe, expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { nextMessage, wrongCode } from "../../support/messages.ts";
import { stackWith } from "../../support/stack-with.ts";
import { activationCode, newEmail, newUser, somePassword } from "../../support/users.ts";

describe.concurrent("a guesser", () => {
  it("gets three attempts per reset code and five replacement codes, then has to wait", async () => {
    const stack = await stackWith({ setCodeReplacementRateLimit: { burst: 5, refillSeconds: 17_280 } });
    const { email } = await newUser({}, stack);
    const guessThrice = async () => {
      const requested = await stack.publicApi("POST", "/v8/password-reset", { json: { email } });
      if (requested.status !== 201) return outcome(requested);
      const query = `?email=${encodeURIComponent(email)}`;
      const { body } = await stack.internalApi("GET", `/i/users/password-reset-code${query}`);
      for (let guess = 0; guess < 3; guess++) {
        const json = { email, code: wrongCode(body.code, guess), password: "another password" };
        expect(outcome(await stack.publicApi("POST", "/password-reset/complete", { json }))).toBe(
          "400 invalid-code",
        );
      }
      return "guessed";
    };
    for (let code = 0; code < 6; code++) expect(await guessThrice()).toBe("guessed");
    expect(await guessThrice()).toBe("429 too-many-requests");
    stack.advance(17_280);
    expect(await guessThrice()).toBe("guessed");
  });

  it("gains no attempts at an activation code by registering again", async () => {
    const stack = await stackWith({ setCodeReplacementRateLimit: { burst: 1, refillSeconds: 3600 } });
    const email = newEmail();
    const register = () => stack.publicApi("POST", "/register", { json: { name: "Ada", email } });
    expect(outcome(await register())).toBe("201");
    for (const expected of ["201", "429 too-many-requests"]) {
      const { code } = await activationCode({ email }, stack);
      await stack.publicApi("POST", "/activate", { json: { email, code: wrongCode(code) } });
      expect(outcome(await register())).toBe(expected);
    }
  });

  it("gains no attempts at an activation code by deleting its account", async () => {
    const stack = await stackWith({ setCodeReplacementRateLimit: { burst: 1, refillSeconds: 3600 } });
    const email = newEmail();
    const register = () => stack.publicApi("POST", "/register", { json: { name: "Ada", email } });
    for (const expected of ["201", "201", "429 too-many-requests"]) {
      const registered = await register();
      expect(outcome(registered)).toBe(expected);
      if (expected !== "201") break;
      const { code } = await activationCode({ email }, stack);
      await stack.publicApi("POST", "/activate", { json: { email, code: wrongCode(code) } });
      await stack.internalApi("DELETE", `/i/users/${registered.body.id}`);
      await eventually(async () => {
        const pending = await stack.internalApi("GET", `/i/users/activation-code?email=${email}`);
        expect(pending.status).toBe(404);
      });
    }
  });

  it("meets the same password limit for existing and for unknown users", async () => {
    const stack = await stackWith({
      setPasswordHashingRateLimit: {
        perIp: { burst: 1, refillSeconds: 0 },
        perUser: { burst: 2, refillSeconds: 60 },
      },
    });
    const { email } = await newUser({}, stack);
    stack.advance(600);
    for (const identity of [email, newEmail()]) {
      const guess = () =>
        stack.publicApi("POST", "/login", { json: { email: identity, password: "wrong password" } });
      expect(outcome(await guess())).toBe("403 invalid-credentials");
      expect(outcome(await guess())).toBe("403 invalid-credentials");
      expect(outcome(await guess())).toBe("429 too-many-requests");
    }
    const right = await stack.publicApi("POST", "/login", { json: { email, password: somePassword } });
    expect(outcome(right)).toBe("429 too-many-requests");
  });
});

describe.concurrent("code delivery", () => {
  it("is limited across many addresses from one network", async () => {
    const stack = await stackWith({ setCodeDeliveryRateLimitPerIp: { burst: 2, refillSeconds: 60 } });
    const send = () => stack.publicApi("POST", "/activate/send", { json: { email: newEmail() } });
    expect([outcome(await send()), outcome(await send()), outcome(await send())]).toEqual([
      "200",
      "200",
      "429 too-many-requests",
    ]);
  });
});

describe.concurrent("an account", () => {
  it("shows the address to which the code was sent, however the request spells it", async () => {
    const stack = await stackWith();
    const email = newEmail();
    const mailbox = email.replace("@", "+other@");
    await stack.publicApi("POST", "/activate/send", { json: { email: mailbox } });
    const { code } = await activationCode({ email }, stack);
    const { body } = await stack.publicApi("POST", "/register", {
      json: { name: "Ada", email, email_code: code },
    });
    expect(body.email).toBe(mailbox);
  });

  it("can be activated by a new code after wrong attempts have used up the first", async () => {
    const stack = await stackWith();
    const email = newEmail();
    await stack.publicApi("POST", "/register", { json: { name: "Ada", email, password: somePassword } });
    const { code } = await activationCode({ email }, stack);
    for (let guess = 0; guess < 3; guess++) {
      await stack.publicApi("POST", "/activate", { json: { email, code: wrongCode(code, guess) } });
    }
    expect(outcome(await stack.publicApi("POST", "/activate/send", { json: { email } }))).toBe("200");
    const next = await activationCode({ email }, stack);
    const activated = await stack.publicApi("POST", "/activate", { json: { email, code: next.code } });
    expect(activated.body).toEqual({ email, first: true });
  });

  it("loses the replaced cookie on logout, too", async () => {
    const stack = await stackWith({ setUserCookieRenewAge: 60 });
    const { cookie: old, token } = await newUser({}, stack);
    stack.advance(60);
    const { cookie } = await stack.publicApi("POST", "/access", { cookie: old });
    expect(outcome(await stack.publicApi("POST", "/access/logout", { cookie, token }))).toBe("200");
    expect(outcome(await stack.publicApi("POST", "/access", { cookie: old }))).toBe(
      "403 invalid-credentials",
    );
  });

  it("is suspended for inactivity under concurrent logins without a server error", async () => {
    const stack = await stackWith({ setSuspendInactiveUsers: { suspendTimeout: 60 } });
    const { email, password } = await newUser({}, stack);
    stack.advance(120);
    const logins = await Promise.all(
      Array.from({ length: 10 }, () => stack.publicApi("POST", "/login", { json: { email, password } })),
    );
    const outcomes = new Set(logins.map(outcome));
    expect(outcomes).toContain("403 suspended");
    expect([...outcomes].filter((one) => one.startsWith("5"))).toEqual([]);
  });
});

it("HEAD on an activation link is refused with 405 and activates nothing", async () => {
  const stack = await stackWith();
  const email = newEmail();
  await stack.publicApi("POST", "/register", { json: { name: "Ada", email } });
  const { key, code } = await activationCode({ email }, stack);
  expect((await stack.publicApi("HEAD", `/activate?key=${key}&code=${code}`)).status).toBe(405);
  expect((await stack.publicApi("GET", `/activate?key=${key}&code=${code}`)).body.first).toBe(true);
  await nextMessage(email);
});
