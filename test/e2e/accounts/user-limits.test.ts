import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import { wrongCode } from "../../support/messages.ts";
import { newNetwork, newSite, sendFrom } from "../../support/networks.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newMember } from "../../support/teams.ts";
import { newEmail, somePassword, type User } from "../../support/users.ts";

const wrong = "not the password";
const off = { burst: 1, refillSeconds: 0 };

/** A stack on which times are exact. */
const stack = await stackWith(
  {
    setPasswordHashingRateLimit: {
      perIp: off,
      perUser: { burst: 2, refillSeconds: 60 },
      perAccount: { burst: 20, refillSeconds: 60 },
      perNetwork: off,
    },
    setLimitFailedLogins: { timeout: 600, retryLimit: 2 },
    set2FACodeGenerationDelaySecs: 300,
    setCodeReplacementRateLimit: { burst: 1, refillSeconds: 3600 },
    setCodeDeliveryRateLimit: { burst: 1, refillSeconds: 120 },
    setCodeDeliveryRateLimitPerIp: off,
    setDailyWriteBudget: { perUser: 3000, perAnonymousUser: 3000 },
    sndFactorPasswordChallenge: { defaults: { status: "enabled" } },
  },
  { isClockStopped: true },
);

const path = ({ id }: Pick<User, "id">) => `/i/users/${id}/limits`;
const limitsOf = async (user: Pick<User, "id">) => (await stack.internalApi("GET", path(user))).body.limits;
const reset = (user: Pick<User, "id">) => stack.internalApi("DELETE", path(user));
const logInFrom = async (network: string, email: string, password: string, verification_code?: string) =>
  outcome(
    await sendFrom(network, stack, ["sessions", "POST", "/login"], { email, password, verification_code }),
  );
const requestCode = ({ email }: User) =>
  stack.publicApi("POST", "/verification-code/send", { json: { action: "login", email } });
const pendingCode = async ({ id }: User) =>
  (await stack.internalApi("GET", `/i/users/${id}/verification-code/login`)).body;
const requestReset = ({ email }: User) => stack.publicApi("POST", "/password-reset", { json: { email } });

async function times(count: number, step: (index: number) => Promise<unknown>) {
  for (let index = 0; index < count; index++) await step(index);
}

describe.concurrent("the limits of a user", () => {
  it("are empty as long as nothing is refused", async () => {
    const user = await newMember({}, stack);
    expect(await logInFrom(newNetwork(), user.email, wrong)).toBe("403 invalid-credentials");
    expect(await limitsOf(user)).toEqual([]);
  });

  it("name the network whose logins are refused, for as long as they are, until they are reset", async () => {
    const user = await newMember({}, stack);
    const [network, other] = [newNetwork(), newNetwork()];
    await times(2, () => logInFrom(network, user.email, wrong));
    await logInFrom(other, user.email, wrong);
    expect(await logInFrom(network, user.email, somePassword)).toBe("403 client-error");
    expect(await limitsOf(user)).toEqual([
      { limit: "logins", identity: user.email, network, retry_after_seconds: 600 },
    ]);
    expect(outcome(await reset(user))).toBe("200");
    expect(await limitsOf(user)).toEqual([]);
    expect(await logInFrom(network, user.email, somePassword)).toBe("403 code-authentication-required");
  });

  it("include those of a site and of all networks together", async () => {
    const user = await newMember({}, stack);
    const site = newSite(10);
    await times(20, (index) => logInFrom(site[index % 10] ?? "", user.email, wrong));
    const everywhere = (await limitsOf(user)).filter(
      ({ network }: { network?: string }) => network === undefined || network.endsWith("/48"),
    );
    expect(everywhere).toEqual([
      {
        limit: "logins",
        identity: user.email,
        network: expect.stringMatching(/\/48$/),
        retry_after_seconds: expect.any(Number),
      },
    ]);
    await reset(user);
    expect(await limitsOf(user)).toEqual([]);
    await times(10, async () => {
      const network = newNetwork();
      await times(2, () => logInFrom(network, user.email, wrong));
    });
    expect(await limitsOf(user)).toContainEqual({
      limit: "logins",
      identity: user.email,
      retry_after_seconds: 60,
    });
    await reset(user);
    expect(await logInFrom(newNetwork(), user.email, wrong)).toBe("403 invalid-credentials");
  });

  it("include password checks within sessions, and the bytes stored in a day", async () => {
    const user = await newMember({}, stack);
    const guess = { json: { old_password: wrong, new_password: "another password" } };
    await times(2, () => stack.publicApi("PUT", "/self/password", { token: user.token, ...guess }));
    await times(3, (index) =>
      stack.publicApi("PUT", `/properties/key-${index}`, { token: user.token, json: {} }),
    );
    const limits = await limitsOf(user);
    expect(limits).toContainEqual({ limit: "password-checks", retry_after_seconds: 600 });
    expect(limits).toContainEqual({ limit: "writes", retry_after_seconds: expect.any(Number) });
    await reset(user);
    expect(await limitsOf(user)).toEqual([]);
    const right = { json: { old_password: somePassword, new_password: "another password" } };
    const changed = await stack.publicApi("PUT", "/self/password", { token: user.token, ...right });
    expect(outcome(changed)).toBe("200");
  });

  it("include the next code by mail", async () => {
    const user = await newMember({}, stack);
    await requestCode(user);
    await requestReset(user);
    expect(await limitsOf(user)).toEqual([
      { limit: "second-factor-codes", retry_after_seconds: 300 },
      { limit: "password-reset-codes", retry_after_seconds: 120 },
    ]);
    await reset(user);
    expect(await pendingCode(user)).toBeNull();
    expect(outcome(await requestCode(user))).toBe("200");
    expect(outcome(await requestReset(user))).toBe("201");
  });

  it("return 404 for an unknown user and for a deleted one", async () => {
    const user = await newMember({}, stack);
    await stack.internalApi("DELETE", `/i/users/${user.id}`);
    for (const id of [user.id, randomUUID()])
      for (const method of ["GET", "DELETE"])
        expect(outcome(await stack.internalApi(method, path({ id })))).toBe("404 not-found");
    expect((await stack.internalApi("GET", "/i/users/ada/limits")).status).toBe(400);
  });
});

describe.concurrent("DELETE /i/users/{uid}/verification-code", () => {
  const withdraw = ({ id }: Pick<User, "id">) =>
    stack.internalApi("DELETE", `/i/users/${id}/verification-code`);

  it("allows a new code for a user whose code is used up", async () => {
    const user = await newMember({ email: newEmail() }, stack);
    await requestCode(user);
    const code = await pendingCode(user);
    // Each comes from its own network, because limits on logins are not the subject.
    await times(3, () => logInFrom(newNetwork(), user.email, somePassword, wrongCode(code)));
    expect(await logInFrom(newNetwork(), user.email, somePassword, code)).toBe(
      "403 code-authentication-failed",
    );
    expect(outcome(await requestCode(user))).toBe("429 too-many-requests");

    expect(outcome(await withdraw(user))).toBe("200");
    expect(await logInFrom(newNetwork(), user.email, somePassword, code)).toBe(
      "403 code-authentication-failed",
    );
    expect(outcome(await requestCode(user))).toBe("200");
    expect(await logInFrom(newNetwork(), user.email, somePassword, await pendingCode(user))).toBe("200");
  });

  it("returns 404 for an unknown user", async () => {
    expect(outcome(await withdraw({ id: randomUUID() }))).toBe("404 not-found");
  });
});
