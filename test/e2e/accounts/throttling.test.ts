import { describe, expect, it } from "vitest";
import type { SettingsInput } from "#shared/registry/settings.ts";
import { outcome } from "../../support/api.ts";
import { wrongCode } from "../../support/messages.ts";
import { stackWith } from "../../support/stack-with.ts";
import { cookieIdOf } from "../../support/tokens.ts";
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
} from "../../support/users.ts";

/** A stack on which waiting times are exact. */
const stoppedStack = (settings: SettingsInput = {}) => stackWith(settings, { isClockStopped: true });

const retryAfter = ({ headers }: { headers: Headers }) => Number(headers.get("retry-after"));

describe.concurrent("the failed-login budget", () => {
  const limited = () => stoppedStack({ setLimitFailedLogins: { timeout: 600, retryLimit: 3 } });

  it("refuses even the right password with 403 client-error once it is used up, until the timeout", async () => {
    const apis = await limited();
    const user = await newUser({}, apis);
    const attempt = (password: string) => logIn({ ...user, password }, { apis });
    for (let count = 0; count < 3; count++) {
      expect(outcome(await attempt("not the password"))).toBe("403 invalid-credentials");
    }
    const refused = await attempt(user.password);
    expect(outcome(refused)).toBe("403 client-error");
    expect(retryAfter(refused)).toBeGreaterThan(590);
    expect(retryAfter(refused)).toBeLessThanOrEqual(600);

    apis.advance(300);
    const later = await attempt("not the password");
    expect(outcome(later)).toBe("403 client-error");
    expect(retryAfter(later)).toBeLessThanOrEqual(300);
    apis.advance(retryAfter(later));
    expect(outcome(await attempt(user.password))).toBe("200");
  });

  it("applies to concurrent guesses", async () => {
    const apis = await limited();
    const user = await newUser({}, apis);
    const guesses = Array.from({ length: 10 }, (_, index) =>
      logIn({ ...user, password: `guess number ${index}` }, { apis }),
    );
    const outcomes = (await Promise.all(guesses)).map(outcome);

    expect(outcomes.filter((text) => text === "403 invalid-credentials")).toHaveLength(3);
    expect(outcomes.filter((text) => text === "403 client-error")).toHaveLength(7);
  });

  it("is separate for each address, and the same for an unknown one", async () => {
    const apis = await limited();
    const user = await newUser({}, apis);
    const email = newEmail();
    const outcomes = [];
    for (let count = 0; count < 4; count++) {
      outcomes.push(outcome(await logIn({ email, password: somePassword }, { apis })));
    }

    expect(outcomes).toEqual([...Array(3).fill("403 invalid-credentials"), "403 client-error"]);
    expect(outcome(await logIn(user, { apis }))).toBe("200");
  });

  it("is separate for passwords sent to /cookies/remove", async () => {
    const apis = await limited();
    const user = await newUser({}, apis);
    const remove = (password: string) =>
      apis.publicApi("POST", "/cookies/remove", { token: user.token, json: { password } });
    for (let count = 0; count < 3; count++) await remove("not the password");

    expect(outcome(await remove(user.password))).toBe("403 client-error");
    expect(outcome(await logIn(user, { apis }))).toBe("200");
  });

  it("is disabled by default", async () => {
    const apis = await stoppedStack();
    const user = await newUser({}, apis);
    for (let count = 0; count < 12; count++) await logIn({ ...user, password: "not the password" }, { apis });
    expect(outcome(await logIn(user, { apis }))).toBe("200");
  });
});

describe.concurrent("the rate limit on password checks", () => {
  const limits = {
    setPasswordHashingRateLimit: {
      perIp: { burst: 5, refillSeconds: 300 },
      perUser: { burst: 5, refillSeconds: 60 },
    },
  };

  it("allows a user five logins in a row and one more every minute", async () => {
    const apis = await stoppedStack(limits);
    const user = await registeredUser({}, apis);
    // registeredUser has logged in once.
    for (let count = 1; count < 5; count++) expect(outcome(await logIn(user, { apis }))).toBe("200");
    const refused = await logIn(user, { apis });

    expect(outcome(refused)).toBe("429 too-many-requests");
    expect(retryAfter(refused)).toBeGreaterThan(50);
    expect(retryAfter(refused)).toBeLessThanOrEqual(60);
    apis.advance(retryAfter(refused));
    expect(outcome(await logIn(user, { apis }))).toBe("200");
    expect(outcome(await logIn(user, { apis }))).toBe("429 too-many-requests");
    apis.advance(300);
    for (let count = 0; count < 5; count++) expect(outcome(await logIn(user, { apis }))).toBe("200");
    expect(outcome(await logIn(user, { apis }))).toBe("429 too-many-requests");
  });

  it("counts wrong passwords and unknown users, too, and hides the verdict beyond the limit", async () => {
    const apis = await stoppedStack(limits);
    const user = await newUser({}, apis);
    apis.advance(300);
    for (const email of [user.email, newEmail()]) {
      const guesses = await Promise.all(
        Array.from({ length: 9 }, () => logIn({ email, password: "not the password" }, { apis })),
      );
      const outcomes = guesses.map(outcome).sort();
      expect(outcomes).toEqual([
        ...Array(5).fill("403 invalid-credentials"),
        ...Array(4).fill("429 too-many-requests"),
      ]);
    }
    expect(outcome(await logIn(user, { apis }))).toBe("429 too-many-requests");
  });

  it("allows a network five concurrent registrations and one more every five minutes", async () => {
    const apis = await stoppedStack(limits);
    const fields = () => ({ email: newEmail(), password: somePassword });
    const outcomes = (await Promise.all(Array.from({ length: 8 }, () => register(fields(), apis)))).map(
      outcome,
    );
    expect(outcomes.filter((status) => status === "201")).toHaveLength(5);
    expect(outcomes.filter((status) => status === "429 too-many-requests")).toHaveLength(3);

    const headers = { "x-forwarded-for": "203.0.113.7" };
    const refused = await apis.publicApi("POST", "/register", {
      json: { name: "Ada", ...fields() },
      headers,
    });
    expect(outcome(refused)).toBe("429 too-many-requests");
    expect(retryAfter(refused)).toBeGreaterThan(290);
    expect(retryAfter(refused)).toBeLessThanOrEqual(300);
    expect(outcome(await register({ email: newEmail() }, apis))).toBe("201");
    apis.advance(retryAfter(refused));
    expect(outcome(await register(fields(), apis))).toBe("201");
    expect(outcome(await register(fields(), apis))).toBe("429 too-many-requests");
  });
});

describe.concurrent("the limit on messages with codes", () => {
  const limits = { setCodeDeliveryRateLimit: { burst: 3, refillSeconds: 60 } };

  it("applies per address or number, across registrations and requests for codes", async () => {
    const apis = await stoppedStack(limits);
    for (const address of [{ email: newEmail() }, { phone: newPhone() }]) {
      const send = () => apis.publicApi("POST", "/activate/send", { json: address });
      expect(outcome(await send())).toBe("200");
      expect(outcome(await register(address, apis))).toBe("201");
      expect(outcome(await send())).toBe("200");
      const refused = await send();

      expect(outcome(refused)).toBe("429 too-many-requests");
      expect(retryAfter(refused)).toBeLessThanOrEqual(60);
      expect(outcome(await register(address, apis))).toBe("429 too-many-requests");
      apis.advance(retryAfter(refused));
      expect(outcome(await send())).toBe("200");
      expect(outcome(await send())).toBe("429 too-many-requests");
    }
  });

  it("applies to concurrent requests", async () => {
    const apis = await stoppedStack(limits);
    const json = { email: newEmail() };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => apis.publicApi("POST", "/activate/send", { json })),
    );
    const outcomes = answers.map(outcome);

    expect(outcomes.filter((status) => status === "200")).toHaveLength(3);
    expect(outcomes.filter((status) => status === "429 too-many-requests")).toHaveLength(5);
  });

  it("counts each mail of a request that sends codes to several registrations", async () => {
    const apis = await stoppedStack(limits);
    const email = newEmail();
    const send = () => apis.publicApi("POST", "/activate/send", { json: { email } });
    for (let count = 0; count < 3; count++) await register({ email, password: somePassword }, apis);
    apis.advance(60);
    expect(outcome(await send())).toBe("200");

    apis.advance(60);
    const refused = await send();
    expect(outcome(refused)).toBe("429 too-many-requests");
    apis.advance(retryAfter(refused));
    expect(outcome(await send())).toBe("200");
  });

  it("outlasts a code that wrong attempts have used up", async () => {
    const apis = await stoppedStack({ setCodeDeliveryRateLimit: { burst: 2, refillSeconds: 60 } });
    const email = newEmail();
    const send = () => apis.publicApi("POST", "/activate/send", { json: { email } });
    const guess = (code: string) =>
      apis.publicApi("POST", "/activate", { json: { email, code, dryrun: true } });
    await send();
    const { code } = await activationCode({ email }, apis);
    for (let count = 0; count < 3; count++) await guess(wrongCode(code));
    expect(outcome(await send())).toBe("200");

    expect(outcome(await send())).toBe("429 too-many-requests");
  });

  it("applies to password resets after wrong attempts, even for an unknown address", async () => {
    const apis = await stoppedStack(limits);
    const user = await newUser({}, apis);
    for (const email of [user.email, newEmail()]) {
      const request = () => apis.publicApi("POST", "/v8/password-reset", { json: { email } });
      for (let count = 0; count < 3; count++) {
        expect(outcome(await request())).toBe("201");
        const json = { email, code: "no code", password: "a new password" };
        for (let guess = 0; guess < 3; guess++)
          await apis.publicApi("POST", "/password-reset/complete", { json });
      }
      const refused = await request();

      expect(outcome(refused)).toBe("429 too-many-requests");
      apis.advance(retryAfter(refused));
      expect(outcome(await request())).toBe("201");
    }
  });

  it("applies to login codes", async () => {
    const apis = await stoppedStack(limits);
    const phone = newPhone();
    await register({ phone }, apis);
    await activate({ phone }, apis);
    const send = () => apis.publicApi("POST", "/login/send", { json: { phone } });
    for (let count = 0; count < 3; count++) expect(outcome(await send())).toBe("200");

    const refused = await send();
    expect(outcome(refused)).toBe("429 too-many-requests");
    apis.advance(retryAfter(refused));
    expect(outcome(await send())).toBe("200");
  });
});

describe.concurrent("the cookie throttle", () => {
  it("makes users wait only when they reach the limit in quick succession", async () => {
    const apis = await stoppedStack({ setUserCookieLimit: 5 });
    const user = await registeredUser({}, apis);
    // Registration and login have left two.
    for (let count = 2; count < 5; count++) expect(outcome(await logIn(user, { apis }))).toBe("200");
    const refused = await logIn(user, { apis });

    expect(outcome(refused)).toBe("429 client-error");
    expect(retryAfter(refused)).toBeGreaterThan(86_300);
    expect(retryAfter(refused)).toBeLessThanOrEqual(86_400);
    apis.advance(retryAfter(refused));
    expect(outcome(await logIn(user, { apis }))).toBe("200");
  });

  it("spares a user whose cookies were created over time", async () => {
    const apis = await stoppedStack({ setUserCookieLimit: 5 });
    const user = await newUser({}, apis);
    for (let count = 2; count < 9; count++) {
      apis.advance(7200);
      expect(outcome(await logIn(user, { apis }))).toBe("200");
    }
  });

  it("leaves room again when a cookie is removed", async () => {
    const apis = await stoppedStack({ setUserCookieLimit: 4 });
    const user = await registeredUser({}, apis);
    for (let count = 2; count < 4; count++) await logIn(user, { apis });
    expect(outcome(await logIn(user, { apis }))).toBe("429 client-error");
    const json = { password: user.password, ids: [cookieIdOf(user.cookie)] };
    await apis.publicApi("POST", "/cookies/remove", { token: user.token, json });

    expect(outcome(await logIn(user, { apis }))).toBe("200");
  });
});
