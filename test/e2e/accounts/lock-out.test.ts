import { describe, expect, it } from "vitest";
import type { SettingsInput } from "#shared/registry/settings.ts";
import { outcome } from "../../support/api.ts";
import { newNetwork, sendFrom } from "../../support/networks.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { newEmail, newUser, somePassword } from "../../support/users.ts";

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

describe.concurrent("a stranger who guesses passwords", () => {
  const limits = {
    setPasswordHashingRateLimit: {
      perIp: off,
      perUser: { burst: 2, refillSeconds: 60 },
      perAccount: { burst: 8, refillSeconds: 60 },
      perNetwork: { burst: 8, refillSeconds: 60 },
    },
    setLimitFailedLogins: { timeout: 600, retryLimit: 2 },
  };

  it("does not keep the owner out, who logs in from another network", async () => {
    const stack = await stoppedStack(limits);
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

  it("does not keep the owner out of networks that the owner uses, from however many others", async () => {
    const stack = await stoppedStack(limits);
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

  it("cannot use up what an account allows all networks from a few of them", async () => {
    const stack = await stoppedStack(limits);
    const { email } = await newUser({}, stack);
    const strangers = [newNetwork(), newNetwork()];
    for (const stranger of strangers) await times(20, () => logInFrom(stranger, stack, email));
    expect(await logInFrom(newNetwork(), stack, email, somePassword)).toBe("200");
  });

  it("pays for unknown accounts as for known ones", async () => {
    const stack = await stoppedStack(limits);
    const known = await Promise.all(Array.from({ length: 9 }, () => newUser({}, stack)));
    for (const emails of [known.map(({ email }) => email), known.map(newEmail)]) {
      const stranger = newNetwork();
      const outcomes = await times(9, (index) => logInFrom(stranger, stack, emails[index] ?? ""));
      expect(outcomes).toEqual([...Array(8).fill("403 invalid-credentials"), "429 too-many-requests"]);
    }
  });

  it("does not keep colleagues of the same network out who have logged in from it before", async () => {
    const stack = await stoppedStack(limits);
    const office = newNetwork();
    const { email } = await newUser({}, stack);
    expect(await logInFrom(office, stack, email, somePassword)).toBe("200");
    await times(10, () => logInFrom(office, stack, newEmail()));
    expect(await logInFrom(office, stack, newEmail())).toBe("429 too-many-requests");
    expect(await logInFrom(office, stack, email, somePassword)).toBe("200");
  });

  it("does not keep the owner from proving the password within a session", async () => {
    const stack = await stoppedStack(limits);
    const user = await newUser({}, stack);
    for (let network = 0; network < 3; network++) {
      const stranger = newNetwork();
      await times(4, () => logInFrom(stranger, stack, user.email));
    }
    const json = { password: user.password };
    const removed = await stack.publicApi("POST", "/cookies/remove", { token: user.token, json });
    expect(outcome(removed)).toBe("200");
  });

  it("is held to the limits by concurrent guesses, too", async () => {
    const stack = await stoppedStack({ setPasswordHashingRateLimit: limits.setPasswordHashingRateLimit });
    const { email } = await newUser({}, stack);
    const stranger = newNetwork();
    const guesses = await Promise.all(Array.from({ length: 40 }, () => logInFrom(stranger, stack, email)));
    expect(guesses.filter((one) => one === "403 invalid-credentials")).toHaveLength(2);
    expect(guesses.filter((one) => one === "429 too-many-requests")).toHaveLength(38);
  });
});
