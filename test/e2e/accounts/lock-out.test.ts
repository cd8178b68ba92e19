import { describe, expect, it } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import type { SettingsInput } from "#shared/registry/settings.ts";
import { outcome } from "../../support/api.ts";
import { wrongCode } from "../../support/messages.ts";
import { newNetwork, newSite, sendFrom } from "../../support/networks.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { activationCode, newEmail, newPhone, newUser, register, somePassword } from "../../support/users.ts";

const off = { burst: 1, refillSeconds: 0 };
/** A stack on which waiting times are exact. */
const stoppedStack = (settings: SettingsInput) => stackWith(settings, { isClockStopped: true });

const logInFrom = async (network: string, stack: OwnStack, email: string, password = "not the password") =>
  outcome(await sendFrom(network, stack, ["sessions", "POST", "/login"], { email, password }));
const times = async (count: number, step: (index: number) => Promise<string>): Promise<string[]> => {
  const outcomes: string[] = [];
  for (let index = 0; index < count; index++) outcomes.push(await step(index));
  return outcomes;
};

/** Shared: each test has users and networks of its own. */
const stack = await stoppedStack({
  setPasswordHashingRateLimit: {
    perIp: off,
    perUser: { burst: 2, refillSeconds: 60 },
    perAccount: { burst: 8, refillSeconds: 60 },
    perNetwork: { burst: 8, refillSeconds: 60 },
  },
  setLimitFailedLogins: { timeout: 600, retryLimit: 2 },
});

describe.concurrent("a stranger who guesses passwords", () => {
  it("does not lock out the owner, who logs in from another network", async () => {
    const { email } = await newUser({}, stack);
    const [stranger, home] = [newNetwork(), newNetwork()];
    expect(await times(4, () => logInFrom(stranger, stack, email))).toEqual([
      "403 invalid-credentials",
      "403 invalid-credentials",
      "403 client-error",
      "403 client-error",
    ]);
    expect(await logInFrom(stranger, stack, email, somePassword)).toBe("403 client-error");
    expect(await logInFrom(home, stack, email, somePassword)).toBe("200");
  });

  it("does not lock out the owner on networks that the owner uses, however many others the guesses come from", async () => {
    const { email } = await newUser({}, stack);
    const home = newNetwork();
    expect(await logInFrom(home, stack, email, somePassword)).toBe("200");
    // The first login of the owner has been charged, too.
    const guesses = await times(10, () => logInFrom(newNetwork(), stack, email));
    expect(guesses).toEqual([
      ...Array(7).fill("403 invalid-credentials"),
      ...Array(3).fill("429 too-many-requests"),
    ]);
    expect(await logInFrom(newNetwork(), stack, email, somePassword)).toBe("429 too-many-requests");
    expect(await logInFrom(home, stack, email, somePassword)).toBe("200");
  });

  it("cannot use up an account's limit for all networks from only a few of them", async () => {
    const { email } = await newUser({}, stack);
    const strangers = [newNetwork(), newNetwork()];
    for (const stranger of strangers) await times(20, () => logInFrom(stranger, stack, email));
    expect(await logInFrom(newNetwork(), stack, email, somePassword)).toBe("200");
  });

  it("is charged for unknown accounts as for known ones", async () => {
    const known = await Promise.all(Array.from({ length: 9 }, () => newUser({}, stack)));
    for (const emails of [known.map(({ email }) => email), known.map(newEmail)]) {
      const stranger = newNetwork();
      const outcomes = await times(9, (index) => logInFrom(stranger, stack, emails[index] ?? ""));
      expect(outcomes).toEqual([...Array(8).fill("403 invalid-credentials"), "429 too-many-requests"]);
    }
  });

  it("costs a network nothing when the account's limit for all networks refuses the guess", async () => {
    const { email } = await newUser({}, stack);
    for (let network = 0; network < 4; network++) await times(2, () => logInFrom(newNetwork(), stack, email));
    const office = newNetwork();
    expect(await times(2, () => logInFrom(office, stack, email))).toEqual(
      Array(2).fill("429 too-many-requests"),
    );
    const guesses = await times(9, () => logInFrom(office, stack, newEmail()));
    expect(guesses).toEqual([...Array(8).fill("403 invalid-credentials"), "429 too-many-requests"]);
  });

  it("does not lock out colleagues who have logged in from the same network before", async () => {
    const office = newNetwork();
    const { email } = await newUser({}, stack);
    expect(await logInFrom(office, stack, email, somePassword)).toBe("200");
    await times(10, () => logInFrom(office, stack, newEmail()));
    expect(await logInFrom(office, stack, newEmail())).toBe("429 too-many-requests");
    expect(await logInFrom(office, stack, email, somePassword)).toBe("200");
  });

  it("does not keep the owner from proving the password within a session", async () => {
    const user = await newUser({}, stack);
    for (let network = 0; network < 3; network++) {
      const stranger = newNetwork();
      await times(4, () => logInFrom(stranger, stack, user.email));
    }
    const json = { password: user.password };
    const removed = await stack.publicApi("POST", "/cookies/remove", { token: user.token, json });
    expect(outcome(removed)).toBe("200");
  });

  it("is bound by the limits with concurrent guesses, too", async () => {
    const { email } = await newUser({}, stack);
    const stranger = newNetwork();
    const guesses = await Promise.all(Array.from({ length: 20 }, () => logInFrom(stranger, stack, email)));
    expect(guesses.filter((one) => one === "403 invalid-credentials")).toHaveLength(2);
    expect(guesses.filter((one) => one === "403 client-error")).toHaveLength(18);
  });
});

describe.concurrent("a stranger who guesses codes", () => {
  const limits = { setCodeReplacementRateLimit: { burst: 2, refillSeconds: 3600 } };

  const requestReset = async (network: string, stack: OwnStack, email: string) =>
    outcome(await sendFrom(network, stack, ["password-reset", "POST", "/v8/password-reset"], { email }));
  const reset = async (network: string, stack: OwnStack, email: string, code: string) => {
    const json = { email, code, password: "another password" };
    return outcome(
      await sendFrom(network, stack, ["password-reset", "POST", "/password-reset/complete"], json),
    );
  };
  const resetCode = async ({ internalApi }: OwnStack, email: string): Promise<string> =>
    (await internalApi("GET", `/i/users/password-reset-code?email=${email}`)).body.code;
  const activateFrom = async (network: string, stack: OwnStack, email: string, code: string) =>
    outcome(await sendFrom(network, stack, ["registration", "POST", "/activate"], { email, code }));

  it("does not end a reset that the owner is about to complete", async () => {
    const stack = await stoppedStack(limits);
    const { email } = await newUser({}, stack);
    const [stranger, home] = [newNetwork(), newNetwork()];
    expect(await requestReset(home, stack, email)).toBe("201");
    const code = await resetCode(stack, email);
    const guesses = await times(5, (index) => reset(stranger, stack, email, wrongCode(code, index)));
    expect(guesses).toEqual(Array(5).fill("400 invalid-code"));
    expect(await reset(stranger, stack, email, code)).toBe("400 invalid-code");
    expect(await resetCode(stack, email)).toBe(code);
    expect(await reset(home, stack, email, code)).toBe("200");
  });

  it("does not end an activation, nor a login by SMS, that the owner is about to complete", async () => {
    const stack = await stoppedStack(limits);
    const [stranger, home] = [newNetwork(), newNetwork()];
    const email = newEmail();
    await register({ email }, stack);
    const { code } = await activationCode({ email }, stack);
    await times(5, (index) => activateFrom(stranger, stack, email, wrongCode(code, index)));
    expect(await activateFrom(stranger, stack, email, code)).toBe("404 invalid-code");
    expect(await activateFrom(home, stack, email, code)).toBe("200");

    const phone = newPhone();
    await register({ phone }, stack);
    const activation = await activationCode({ phone }, stack);
    await stack.publicApi("POST", "/activate", { json: { phone, code: activation.code } });
    await stack.publicApi("POST", "/login/send", { json: { phone } });
    const query = `?phone=${encodeURIComponent(phone)}`;
    const { body: login } = await stack.internalApi("GET", `/i/users/login-code${query}`);
    const logIn = async (network: string, candidate: string) =>
      outcome(await sendFrom(network, stack, ["sessions", "POST", "/login"], { phone, code: candidate }));
    await times(5, (index) => logIn(stranger, wrongCode(login.code, index)));
    expect(await logIn(stranger, login.code)).toBe("403 invalid-credentials");
    expect(await logIn(home, login.code)).toBe("200");
  });

  it("takes no attempts from the owner by guessing keys, however many concurrently", async () => {
    const stack = await stoppedStack(limits);
    const email = newEmail();
    await register({ email }, stack);
    const { code, key } = await activationCode({ email }, stack);
    const [address = ""] = key.split(".");
    const pause = Promise.withResolvers<void>();
    const allArePaused = Promise.withResolvers<void>();
    let count = 0;
    const endPause = interceptAwsCalls(async ({ body }, send) => {
      if (body.includes(address) && body.includes("attempts - :one")) {
        if (++count === 3) allArePaused.resolve();
        await pause.promise;
      }
      return send();
    });
    const forged = Promise.all(
      Array.from({ length: 3 }, (_, index) =>
        stack.publicApi("POST", "/activate", { json: { key: `${address}.forged${index}`, code } }),
      ),
    );
    await Promise.race([forged, allArePaused.promise]);
    const activated = await stack.publicApi("POST", "/activate", { json: { email, code } });
    pause.resolve();
    expect((await forged).map(outcome)).toEqual(Array(3).fill("404 invalid-code"));
    endPause();
    expect(outcome(activated)).toBe("200");
  });

  it("cannot go on forever by requesting new codes, while the owner still can request one", async () => {
    const stack = await stoppedStack(limits);
    const { email } = await newUser({}, stack);
    const [stranger, home] = [newNetwork(), newNetwork()];
    const guessThrice = async () => {
      const requested = await requestReset(stranger, stack, email);
      if (requested !== "201") return requested;
      const code = await resetCode(stack, email);
      return (await times(3, (index) => reset(stranger, stack, email, wrongCode(code, index)))).join();
    };
    const guessed = Array(3).fill("400 invalid-code").join();
    expect(await times(4, guessThrice)).toEqual([guessed, guessed, guessed, "429 too-many-requests"]);

    stack.advance(600);
    expect(await requestReset(home, stack, email)).toBe("201");
    const code = await resetCode(stack, email);
    expect(await reset(stranger, stack, email, code)).toBe("400 invalid-code");
    expect(await reset(home, stack, email, code)).toBe("200");
  });

  /** Uses up what all networks together may attempt. */
  const exhaust = async (guess: (network: string, index: number) => Promise<string>) => {
    for (let network = 0; network < 11; network++) {
      const stranger = newNetwork();
      await times(3, (index) => guess(stranger, index));
    }
  };
  const resetByKey = async (stack: OwnStack, key: string, code: string) => {
    const json = { key, code, password: "another password" };
    return outcome(await stack.publicApi("POST", "/password-reset/complete", { json }));
  };
  const pendingReset = async ({ internalApi }: OwnStack, email: string) =>
    (await internalApi("GET", `/i/users/password-reset-code?email=${email}`)).body;
  const activateByKey = async (stack: OwnStack, key: string | undefined, code: string | undefined) =>
    outcome(await stack.publicApi("POST", "/activate", { json: { key, code } }));
  /** The key that contains no secret, so that anybody can compute it. */
  const publicPart = (key: string) => key.split(".")[0] ?? "";

  it("does not end a reset with the key of its mail, however many networks the guesses come from", async () => {
    const stack = await stoppedStack(limits);
    const { email } = await newUser({}, stack);
    const home = newNetwork();
    expect(await requestReset(home, stack, email)).toBe("201");
    const mailed = await pendingReset(stack, email);
    await exhaust((network, index) => reset(network, stack, email, wrongCode(mailed.code, index)));
    expect(await reset(home, stack, email, mailed.code)).toBe("400 invalid-code");
    expect(await resetByKey(stack, publicPart(mailed.key), mailed.code)).toBe("400 invalid-code");
    expect(await resetByKey(stack, mailed.key, mailed.code)).toBe("200");
  });

  it("cannot keep the owner from requesting a reset by mail and completing it with the key", async () => {
    const stack = await stoppedStack(limits);
    const { email } = await newUser({}, stack);
    const home = newNetwork();
    await requestReset(home, stack, email);
    const first = await pendingReset(stack, email);
    await exhaust((network, index) => reset(network, stack, email, wrongCode(first.code, index)));
    expect(await requestReset(home, stack, email)).toBe("201");
    const second = await pendingReset(stack, email);
    expect(second.key).not.toBe(first.key);
    expect(await reset(home, stack, email, second.code)).toBe("400 invalid-code");
    expect(await resetByKey(stack, second.key, second.code)).toBe("200");
    expect(await resetByKey(stack, first.key, first.code)).toBe("400 invalid-code");
  });

  it("cannot invalidate the owner's mail by requesting another after wrong attempts", async () => {
    const stack = await stoppedStack(limits);
    const { email } = await newUser({}, stack);
    await requestReset(newNetwork(), stack, email);
    const mailed = await pendingReset(stack, email);
    for (let round = 0; round < 3; round++) {
      const stranger = newNetwork();
      await times(3, (index) => reset(stranger, stack, email, wrongCode(mailed.code, index)));
      expect(await requestReset(stranger, stack, email)).toBe("201");
    }
    const newest = await pendingReset(stack, email);
    expect(newest.key).not.toBe(mailed.key);
    expect(await reset(newNetwork(), stack, email, mailed.code)).toBe("400 invalid-code");
    expect(await resetByKey(stack, mailed.key, mailed.code)).toBe("200");
    expect(await resetByKey(stack, newest.key, newest.code)).toBe("400 invalid-code");
  });

  it("cannot disturb an owner who is about to complete the reset by requesting another", async () => {
    const stack = await stoppedStack(limits);
    const { email } = await newUser({}, stack);
    await requestReset(newNetwork(), stack, email);
    const mailed = await pendingReset(stack, email);
    const stranger = newNetwork();
    await times(3, (index) => reset(stranger, stack, email, wrongCode(mailed.code, index)));
    let requested: Promise<string> | undefined;
    const end = interceptAwsCalls(async ({ action, body }, send) => {
      const isCompletion = action === "TransactWriteItems" && body.includes(publicPart(mailed.key));
      if (isCompletion && requested === undefined) {
        requested = requestReset(stranger, stack, email);
        await requested;
      }
      return send();
    });
    const completed = await resetByKey(stack, mailed.key, mailed.code);
    end();
    expect([await requested, completed]).toEqual(["201", "200"]);
  });

  it("delays the owner of a phone by at most ten minutes, however many networks the guesses come from", async () => {
    const stack = await stoppedStack(limits);
    const phone = newPhone();
    await register({ phone }, stack);
    const activation = await activationCode({ phone }, stack);
    await stack.publicApi("POST", "/activate", { json: { phone, code: activation.code } });
    const request = (network: string) =>
      sendFrom(network, stack, ["password-reset", "POST", "/v8/password-reset"], { phone });
    const complete = async (network: string, code: string) => {
      const json = { phone, code, password: "another password" };
      return outcome(
        await sendFrom(network, stack, ["password-reset", "POST", "/password-reset/complete"], json),
      );
    };
    const find = async () => {
      const query = new URLSearchParams({ phone });
      return (await stack.internalApi("GET", `/i/users/password-reset-code?${query}`)).body.code;
    };
    const home = newNetwork();
    await request(home);
    const code = await find();
    await exhaust((network, index) => complete(network, wrongCode(code, index)));
    expect(await complete(home, code)).toBe("400 invalid-code");
    const refused = await request(home);
    expect(outcome(refused)).toBe("429 too-many-requests");
    expect(refused.retryAfterSeconds).toBeLessThanOrEqual(600);
    stack.advance(refused.retryAfterSeconds);
    expect(outcome(await request(home))).toBe("201");
    expect(await complete(home, await find())).toBe("200");
  });

  it("does not end an activation with the key of its mail, even by requesting another", async () => {
    const stack = await stoppedStack(limits);
    const email = newEmail();
    await register({ email }, stack);
    const mailed = await activationCode({ email }, stack);
    await exhaust((network, index) => activateFrom(network, stack, email, wrongCode(mailed.code, index)));
    expect(await activateFrom(newNetwork(), stack, email, mailed.code)).toBe("404 invalid-code");
    const sent = await stack.publicApi("POST", "/activate/send", { json: { email } });
    expect(outcome(sent)).toBe("200");
    const again = await activationCode({ email }, stack);
    expect(again.key).not.toBe(mailed.key);
    expect(outcome(await stack.publicApi("POST", "/activate/send", { json: { email } }))).toBe("200");
    expect(await activateByKey(stack, mailed.key, mailed.code)).toBe("200");
  });

  it("cannot get a replaced code accepted without the key of its mail", async () => {
    const stack = await stoppedStack(limits);
    const email = newEmail();
    await register({ email }, stack);
    const { code } = await activationCode({ email }, stack);
    const stranger = newNetwork();
    await times(3, (index) => activateFrom(stranger, stack, email, wrongCode(code, index)));
    await sendFrom(stranger, stack, ["registration", "POST", "/activate/send"], { email });
    expect(await activateFrom(stranger, stack, email, code)).toBe("404 invalid-code");
    expect(await activateFrom(newNetwork(), stack, email, code)).toBe("404 invalid-code");
    const newest = await activationCode({ email }, stack);
    expect(await activateFrom(stranger, stack, email, newest.code)).toBe("200");
  });

  it("has three attempts with the key of a mail, too, until another is requested", async () => {
    const stack = await stoppedStack(limits);
    const { email } = await newUser({}, stack);
    const home = newNetwork();
    await requestReset(home, stack, email);
    const { key, code } = await pendingReset(stack, email);
    await times(3, (index) => resetByKey(stack, key, wrongCode(code, index)));
    expect(await resetByKey(stack, key, code)).toBe("400 invalid-code");
    expect(await requestReset(home, stack, email)).toBe("201");
    const next = await pendingReset(stack, email);
    expect(await resetByKey(stack, next.key, next.code)).toBe("200");

    const waiting = newEmail();
    await register({ email: waiting }, stack);
    const activation = await activationCode({ email: waiting }, stack);
    await times(3, (index) => activateByKey(stack, activation.key, wrongCode(activation.code, index)));
    expect(await activateByKey(stack, activation.key, activation.code)).toBe("404 invalid-code");
    await stack.publicApi("POST", "/activate/send", { json: { email: waiting } });
    const resent = await activationCode({ email: waiting }, stack);
    expect(await activateByKey(stack, resent.key, resent.code)).toBe("200");
  });

  it.each(["", ".", "x.", ".x", "x.y.z"])("gains nothing with the malformed key %j", async (suffix) => {
    const stack = await stoppedStack(limits);
    const { email } = await newUser({}, stack);
    await requestReset(newNetwork(), stack, email);
    const { key, code } = await pendingReset(stack, email);
    for (const forged of [`unknown${suffix}`, `${publicPart(key)}.${suffix}x`])
      expect(await resetByKey(stack, forged, code)).toBe("400 invalid-code");
    expect(await resetByKey(stack, key, code)).toBe("200");
  });

  it("has only the attempts of eight networks in a whole /48 of IPv6", async () => {
    const stack = await stoppedStack(limits);
    const { email } = await newUser({}, stack);
    await requestReset(newNetwork(), stack, email);
    const { code } = await pendingReset(stack, email);
    const [neighbour = "", ...strangers] = newSite(12);
    for (const stranger of strangers)
      await times(3, (index) => reset(stranger, stack, email, wrongCode(code, index)));
    expect(await reset(neighbour, stack, email, code)).toBe("400 invalid-code");
    const [elsewhere = ""] = newSite(1);
    expect(await reset(elsewhere, stack, email, code)).toBe("200");
  });
});

describe.concurrent("a /48 of IPv6", () => {
  const codes = { setCodeDeliveryRateLimitPerIp: { burst: 1, refillSeconds: 3600 } };
  const send = async (network: string, stack: OwnStack) =>
    outcome(
      await sendFrom(network, stack, ["registration", "POST", "/activate/send"], { email: newEmail() }),
    );

  it("may do eight times as much as one of its networks", async () => {
    const stack = await stoppedStack(codes);
    const site = newSite(10);
    expect(await times(10, (index) => send(site[index] ?? "", stack))).toEqual([
      ...Array(8).fill("200"),
      ...Array(2).fill("429 too-many-requests"),
    ]);
    expect(await send(newSite(1)[0] ?? "", stack)).toBe("200");
    stack.advance(450);
    expect(await send(site[9] ?? "", stack)).toBe("200");
  });

  it("may send eight times as many SMS as one of its networks", async () => {
    const stack = await stoppedStack({ setSmsDailyBudget: { perNetwork: 1 } });
    const sendSms = async (network: string) =>
      outcome(
        await sendFrom(network, stack, ["registration", "POST", "/activate/send"], { phone: newPhone() }),
      );
    const site = newSite(9);
    expect(await times(9, (index) => sendSms(site[index] ?? ""))).toEqual([
      ...Array(8).fill("200"),
      "429 too-many-requests",
    ]);
  });

  it("cannot use up an account's limit for all networks together", async () => {
    const perUser = { burst: 1, refillSeconds: 3600 };
    const many = { burst: 20, refillSeconds: 3600 };
    const stack = await stoppedStack({
      setPasswordHashingRateLimit: { perIp: off, perUser, perAccount: many, perNetwork: many },
    });
    const { email } = await newUser({}, stack);
    const site = newSite(30);
    const guesses = await times(30, (index) => logInFrom(site[index] ?? "", stack, email));
    expect(guesses).toEqual([
      ...Array(8).fill("403 invalid-credentials"),
      ...Array(22).fill("429 too-many-requests"),
    ]);
    expect(await logInFrom(newSite(1)[0] ?? "", stack, email, somePassword)).toBe("200");
  });
});
