import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { beforeAll, expect, it } from "vitest";
import { toSeconds } from "#shared/platform/clock.ts";
import { secretLifetimeSeconds } from "#shared/platform/secrets/secret-reader.ts";
import { readKeySets, revokeSigningKey } from "#shared/sessions/tokens/signing-keys.ts";
import { outcome } from "../../support/api.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { logIn, newUser } from "../../support/users.ts";

let stack: OwnStack;
beforeAll(async () => {
  stack = await ownStack({}, { isClockStopped: true });
});

it("nothing that a revoked key has signed is valid any more, and the next key signs", async () => {
  const user = await newUser({}, stack);
  const self = (token: string) => stack.publicApi("GET", "/self", { token });
  const renew = (cookie: string) => stack.publicApi("POST", "/access", { cookie });
  const { body: session, cookie = "" } = await logIn(user, { apis: stack });
  expect([outcome(await self(session.access_token)), outcome(await renew(cookie))]).toEqual(["200", "200"]);
  const secrets = {
    secretsManager: new SecretsManagerClient(),
    signingKeys: `${stack.prefix}-signing-keys`,
    verificationKeys: `${stack.prefix}-verification-keys`,
  };
  const { signing } = await readKeySets(secrets);
  const leaked = signing.keys.at(-1)?.index ?? 0;
  const now = toSeconds(stack.clock());
  expect(await revokeSigningKey(secrets, leaked, now)).toBe(true);
  expect(await revokeSigningKey(secrets, leaked, now)).toBe(false);
  stack.advance(secretLifetimeSeconds + 1);
  expect(outcome(await self(session.access_token))).toMatch(/^401/);
  expect(outcome(await renew(cookie))).toBe("403 invalid-credentials");
  const { body, status } = await logIn(user, { apis: stack });
  expect(status).toBe(200);
  expect(outcome(await self(body.access_token))).toBe("200");
  expect((await readKeySets(secrets)).published.keys.map(({ index }) => index)).toEqual([leaked + 1]);
});
