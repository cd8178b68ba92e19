import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import { injectFaults } from "../../support/faults.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { botsToken, partsOf } from "../../support/tokens.ts";
import { logIn, newUser, type User } from "../../support/users.ts";

const steps = ["createSecret", "setSecret", "testSecret", "finishSecret"];

/** Starts a rotation, whose steps run when they are called. */
function newRotation({ invoke, prefix }: OwnStack): (step: string) => Promise<unknown> {
  const ClientRequestToken = randomUUID();
  return (Step) => invoke("key-rotation", { Step, SecretId: `${prefix}-signing-keys`, ClientRequestToken });
}

async function rotate(stack: OwnStack, { repeats = 1 } = {}): Promise<void> {
  const run = newRotation(stack);
  for (const step of steps.flatMap((step) => Array<string>(repeats).fill(step))) await run(step);
}

/** Key that signs the cookie of a login. */
async function keyOfLogin(user: User, apis: OwnStack): Promise<string | undefined> {
  const { body, cookie } = await logIn(user, { apis });
  const self = await apis.publicApi("GET", "/self", { token: body.access_token });
  const access = await apis.publicApi("POST", "/access", { cookie });
  expect([outcome(self), outcome(access)]).toEqual(["200", "200"]);
  return partsOf(cookie).k;
}

describe.concurrent("a rotation of the signing keys", () => {
  it("invalidates no token, before or after the new key starts to sign", async () => {
    const apis = await ownStack();
    const user = await newUser({}, apis);
    await rotate(apis);
    const keyIndexes = [];
    for (let minute = 0; minute <= 15; minute += 5) {
      const { body, cookie } = await logIn(user, { apis });
      const { status } = await apis.publicApi("GET", "/self", { token: body.access_token });
      const uses = [user.cookie, cookie].map((each) => apis.publicApi("POST", "/access", { cookie: each }));
      expect([status, ...(await Promise.all(uses)).map((answer) => answer.status)]).toEqual([200, 200, 200]);
      keyIndexes.push(partsOf(cookie).k);
      apis.advance(300);
    }

    expect(keyIndexes[0]).toBe("1");
    expect(keyIndexes.at(-1)).toBe("2");
  });

  it("keeps tokens of bots valid forever, and no other tokens", async () => {
    const stack = await ownStack();
    const [user, bot] = [await newUser({}, stack), await botsToken(stack)];
    expect([partsOf(user.cookie).k, partsOf(bot).k]).toEqual(["1", "1"]);
    await rotate(stack);
    stack.advance(15_000_000);
    await rotate(stack);
    stack.advance(600);
    const outcomes = [
      await stack.publicApi("GET", "/bot/self", { token: bot }),
      await stack.publicApi("POST", "/access", { cookie: user.cookie }),
      await stack.publicApi("GET", "/bot/self", { token: bot.replace("d=-1", "d=9999999999") }),
    ].map(outcome);
    expect(outcomes).toEqual(["404 not-found", "403 invalid-credentials", "401 unauthorized"]);
    const { body } = await stack.publicApi("GET", "/oauth/jwks");
    expect(body.keys.map(({ kid }: { kid: string }) => kid)).toEqual(["2", "3"]);
  });

  it("keeps cookies valid that live longer than any token", async () => {
    const authSettings = { userTokenTimeout: 31_536_000 };
    const stack = await ownStack({ zauth: { authSettings } });
    const user = await newUser({}, stack);
    await rotate(stack);
    stack.advance(15_000_000);
    await rotate(stack);
    stack.advance(600);
    expect(outcome(await stack.publicApi("POST", "/access", { cookie: user.cookie }))).toBe("200");
  });

  it("creates one key even when its steps are repeated", async () => {
    const apis = await ownStack();
    const user = await newUser({}, apis);
    await rotate(apis, { repeats: 2 });
    await rotate(apis);
    apis.advance(1200);

    const { cookie } = await logIn(user, { apis });
    expect(partsOf(cookie).k).toBe("3");
    expect((await apis.publicApi("POST", "/access", { cookie: user.cookie })).status).toBe(200);
  });

  it("lets the new key sign only when verifiers know it, even if its publication was late", async () => {
    const apis = await ownStack({}, { isClockStopped: true });
    const user = await newUser({}, apis);
    const run = newRotation(apis);
    await run("createSecret");
    apis.advance(3600);
    // Verifiers read the keys now, and not again for five minutes.
    expect((await apis.publicApi("GET", "/self", { token: user.token })).status).toBe(401);
    for (const step of ["setSecret", "testSecret", "finishSecret"]) await run(step);

    expect(await keyOfLogin(user, apis)).toBe("1");
    apis.advance(599);
    expect(await keyOfLogin(user, apis)).toBe("1");
    apis.advance(1);
    expect(await keyOfLogin(user, apis)).toBe("2");
  });

  it("waits after the publication of a new key even if an abandoned rotation left one with the same index", async () => {
    const apis = await ownStack();
    const user = await newUser({}, apis);
    const abandoned = newRotation(apis);
    for (const step of ["createSecret", "setSecret"]) await abandoned(step);
    apis.advance(86_400);
    expect(await keyOfLogin(user, apis)).toBe("1");
    await rotate(apis);
    apis.advance(300);
    expect(await keyOfLogin(user, apis)).toBe("1");
    apis.advance(300);
    expect(await keyOfLogin(user, apis)).toBe("2");
  });
});

describe("an outage of Secrets Manager", () => {
  it("does not stop authentication, after which new keys are read", async () => {
    const apis = await ownStack({}, { isClockStopped: true });
    const user = await newUser({}, apis);
    expect(await keyOfLogin(user, apis)).toBe("1");
    apis.advance(301);
    let refused = 0;
    const endOutage = injectFaults(({ action }) => {
      if (action !== "GetSecretValue") return undefined;
      refused++;
      return "denied";
    });
    expect(await keyOfLogin(user, apis)).toBe("1");
    const readsOfOutage = refused;
    expect(readsOfOutage).toBeGreaterThan(0);
    expect(await keyOfLogin(user, apis)).toBe("1");
    expect(refused).toBe(readsOfOutage);
    endOutage();

    await rotate(apis);
    apis.advance(600);
    expect(await keyOfLogin(user, apis)).toBe("2");
  });

  it("does not stop authentication when calls get no answer", async () => {
    const apis = await ownStack();
    const user = await newUser({}, apis);
    await keyOfLogin(user, apis);
    apis.advance(301);
    const endOutage = injectFaults(({ action }) => (action === "GetSecretValue" ? "timed-out" : undefined));
    await Promise.all(Array.from({ length: 5 }, () => keyOfLogin(user, apis)));
    endOutage();
  });
});
