import { describe, expect, it } from "vitest";
import { activationKey } from "#shared/accounts/identity-lookup.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { Table } from "#shared/platform/data/table.ts";
import { outcome } from "../../support/api.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { stackWith } from "../../support/stack-with.ts";
import {
  activate,
  activationCode,
  logIn,
  newEmail,
  newUser,
  register,
  registeredUser,
  somePassword,
} from "../../support/users.ts";

const codes = new Table({ dynamo: createDynamo(), config: stackConfig("test") }, "codes");

const keyOf = (email: string) => ({
  codeKey: `activation#${activationKey({ kind: "email", key: email, value: email })}`,
});

/** Bring the activation code of an address into the shape of a release that did not count when attempts were made. */
const makeOld = (email: string) => codes.update(keyOf(email), { UpdateExpression: "REMOVE countedAt" });

it("limits on passwords that cannot be read count as unused, and are replaced", async () => {
  const stack = await stackWith({ setLimitFailedLogins: { timeout: 600, retryLimit: 2 } });
  const accounts = new Table({ dynamo: createDynamo(), config: stackConfig(stack.prefix) }, "accounts");
  const { id, token } = await newUser({}, stack);
  const checks = { pk: `user#${id}`, sk: "password-checks" };
  await accounts.put({ ...checks, failures: "two", windowEndsAt: "later" });

  const change = async (old_password: string) =>
    outcome(
      await stack.publicApi("PUT", "/self/password", {
        token,
        json: { old_password, new_password: "another good password" },
      }),
    );
  expect(await change("not the password")).toBe("403 invalid-credentials");
  expect((await accounts.get(checks))?.failures).toBe(1);
  expect(await change(somePassword)).toBe("200");
});

describe.concurrent("a code that was stored in a shape which is no longer read", () => {
  it("does not keep its owner from logging in", async () => {
    const { email } = await registeredUser();
    await makeOld(email);
    expect(outcome(await logIn({ email, password: somePassword }))).toBe("200");
  });

  it("counts as absent, and makes way for a new one", async () => {
    const email = newEmail();
    await register({ email, password: somePassword });
    await makeOld(email);
    await expect(activationCode({ email })).rejects.toThrow("No activation is pending");
    expect(outcome(await register({ email, password: somePassword }))).toBe("201");
    expect(outcome(await activate({ email }))).toBe("200");
  });
});
