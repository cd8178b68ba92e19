import { describe, expect, it } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import type { SettingsInput } from "#shared/registry/settings.ts";
import { outcome } from "../../support/api.ts";
import { wrongCode } from "../../support/messages.ts";
import { newNetwork, sendFrom } from "../../support/networks.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { activationCode, newEmail, newPhone, newUser, register, somePassword } from "../../support/users.ts";

const off = { burst: 1, refillSeconds: 0 };
/** Waiting times are exact on it. */
const stoppedStack = (settings: SettingsInput) => ownStack(settings, { isClockStopped: true });

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

  it("costs a network nothing where the account's limit for all networks refuses the guess", async () => {
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

  it("takes no attempts from the owner with keys that no mail contains, however many concurrently", async () => {
    const stack = await stoppedStack(limits);
    const email = newEmail();
    await register({ email }, stack);
    const { code, key } = await activationCode({ email }, stack);
    const [address = ""] = key.split(".");
    const held = Promise.withResolvers<void>();
    const allAreHeld = Promise.withResolvers<void>();
    let count = 0;
    const endHold = interceptAwsCalls(async ({ body }, send) => {
      if (body.includes(address) && body.includes("attempts - :one")) {
        if (++count === 3) allAreHeld.resolve();
        await held.promise;
      }
      return send();
    });
    const forged = Promise.all(
      Array.from({ length: 3 }, (_, index) =>
        stack.publicApi("POST", "/activate", { json: { key: `${address}.forged${index}`, code } }),
      ),
    );
    await Promise.race([forged, allAreHeld.promise]);
    const activated = await stack.publicApi("POST", "/activate", { json: { email, code } });
    held.resolve();
    expect((await forged).map(outcome)).toEqual(Array(3).fill("404 invalid-code"));
    endHold();
    expect(outcome(activated)).toBe("200");
  });

  it("cannot go on forever by requesting new codes, which the owner still can", async () => {
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

  it("delays the owner by at most ten minutes, however many networks the guesses come from", async () => {
    const stack = await stoppedStack(limits);
    const { email } = await newUser({}, stack);
    const home = newNetwork();
    await requestReset(home, stack, email);
    const code = await resetCode(stack, email);
    for (let network = 0; network < 12; network++) {
      const stranger = newNetwork();
      await times(3, (index) => reset(stranger, stack, email, wrongCode(code, index)));
    }
    expect(await reset(home, stack, email, code)).toBe("400 invalid-code");
    const refused = await sendFrom(home, stack, ["password-reset", "POST", "/v8/password-reset"], { email });
    expect(outcome(refused)).toBe("429 too-many-requests");
    expect(refused.retryAfterSeconds).toBeLessThanOrEqual(600);
    stack.advance(refused.retryAfterSeconds);
    expect(await requestReset(home, stack, email)).toBe("201");
    expect(await reset(home, stack, email, await resetCode(stack, email))).toBe("200");
  });
});
