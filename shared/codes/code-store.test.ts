import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { systemClock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { type CodePurpose, isLive, maxCodeAttempts } from "./code.ts";
import { CodeStore } from "./code-store.ts";
import { issueCode } from "./issue-code.ts";

const dynamo = createDynamo();
const settings = parseSettings({});
const store = new CodeStore({
  dynamo,
  config: { tableName: (name) => `test-${name}`, settings } as Config,
  clock: systemClock,
});
const networks = Array.from({ length: 60 }, (_, index) => networkOf(`10.0.${index}.1`));
const options = (network: string) => ({
  lifetimeSeconds: 600,
  settings,
  now: systemClock(),
  network,
  messages: 0,
});

async function newCode(purpose: CodePurpose) {
  const key = randomUUID();
  await transact(dynamo, [store.put(issueCode({ purpose, key }, undefined, options("owner")), undefined)]);
  return key;
}

describe.concurrent("a code that strangers guess at from many networks", () => {
  it("stays valid for its owner if it is too long to be guessed, and its item stops growing", async () => {
    const key = await newCode("provider-password-reset");
    for (const network of networks) await store.takeAttempt("provider-password-reset", key, network);
    const code = await store.get("provider-password-reset", key);
    expect(Object.keys(code?.attemptsBy ?? {}).length).toBeLessThan(40);
    expect(code && isLive(code, systemClock() / 1000, networkOf("192.0.2.1"))).toBe(true);
    const own = await store.takeAttempt("provider-password-reset", key, networkOf("192.0.2.1"));
    if (own === undefined) throw new Error("The owner has no attempt");
    await store.returnAttempt(own);
    expect(issueCode({ purpose: own.purpose, key }, code, options(networkOf("192.0.2.1")))).toMatchObject({
      key,
    });
    expect(await store.takeAttempt("provider-password-reset", randomUUID(), "owner")).toBeUndefined();
  });

  it("is void without its mail if it has six digits", async () => {
    const key = await newCode("password-reset");
    for (const network of networks) await store.takeAttempt("password-reset", key, network);
    expect(await store.takeAttempt("password-reset", key, networkOf("192.0.2.1"))).toBeUndefined();
  });

  it("gives each counted network only a few attempts", async () => {
    const key = await newCode("provider-password-reset");
    for (let taken = 0; taken < maxCodeAttempts; taken++)
      expect(await store.takeAttempt("provider-password-reset", key, networks[0])).toBeDefined();
    expect(await store.takeAttempt("provider-password-reset", key, networks[0])).toBeUndefined();
  });
});
