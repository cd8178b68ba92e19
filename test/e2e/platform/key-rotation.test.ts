import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { partsOf } from "../../support/tokens.ts";
import { logIn, newUser } from "../../support/users.ts";

const steps = ["createSecret", "setSecret", "testSecret", "finishSecret"];

async function rotate({ invoke, prefix }: OwnStack, { repeats = 1 } = {}): Promise<void> {
  const ClientRequestToken = randomUUID();
  for (const Step of steps.flatMap((step) => Array<string>(repeats).fill(step))) {
    await invoke("key-rotation", { Step, SecretId: `${prefix}-signing-keys`, ClientRequestToken });
  }
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
});
