import { expect, it } from "vitest";
import { type ApiAnswer, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { emulateContention } from "../../support/contention.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newMember } from "../../support/teams.ts";
import { newEmail, newUser, register, somePassword } from "../../support/users.ts";

const burst = 3;
const stack = await stackWith({
  setCodeDeliveryRateLimit: { burst, refillSeconds: 3600 },
  set2FACodeGenerationDelaySecs: 3600,
  sndFactorPasswordChallenge: { defaults: { status: "enabled" } },
});
const { publicApi } = stack;
const strangers = 10;

const tooMany = (count: number) => Array<string>(count).fill("429 too-many-requests");

/** Outcomes of requests by different users whose transactions on one item collide as on AWS. */
async function collide(send: (index: number) => Promise<ApiAnswer>): Promise<string[]> {
  const endContention = emulateContention(stack.prefix);
  const answers = await Promise.all(Array.from({ length: strangers }, (_, index) => send(index)));
  expect(endContention()).toBeGreaterThan(0);
  return answers.map(outcome).sort();
}

it("refuses concurrent registrations of one address because of its limit, and not because of a conflict", async () => {
  const email = newEmail();
  const outcomes = await collide(() => register({ email, password: somePassword }, stack));
  expect(outcomes).toEqual([...Array(burst).fill("201"), ...tooMany(strangers - burst)]);
});

it("refuses concurrent requests for a second-factor code because of the limit, and not because of a conflict", async () => {
  const { email } = await newMember({}, stack);
  const json = { action: "login", email };
  const outcomes = await collide(() => publicApi("POST", "/verification-code/send", { json }));
  expect(outcomes).toEqual(["200", ...tooMany(strangers - 1)]);
});

it("connects users who concurrently send one user connection requests", async () => {
  const user = await newUser({}, stack);
  const others = await Promise.all(Array.from({ length: strangers }, () => newUser({}, stack)));
  const path = `/connections/parley.localhost/${user.id}`;
  const outcomes = await collide((index) => publicApi("POST", path, { token: others[index]?.token }));
  expect(outcomes).toEqual(Array(strangers).fill("201"));
});

it.each([
  ["archives", "self", { otr_archived: true }],
  ["renames", "name", { name: "renamed" }],
])("%s many conversations of a user concurrently, and none waits for another", async (_, part, json) => {
  const { token } = await newUser({}, stack);
  const group = { qualified_users: [], name: "group" };
  const created = await Promise.all(
    Array.from({ length: 20 }, () => publicApi("POST", "/v9/conversations", { token, json: group })),
  );
  const endContention = emulateContention(stack.prefix);
  const answers = await Promise.all(
    created.map(({ body }) =>
      publicApi("PUT", `/v9/conversations/${localDomain}/${body.qualified_id.id}/${part}`, { token, json }),
    ),
  );
  expect(endContention()).toBe(0);
  expect(answers.map(outcome)).toEqual(Array(20).fill("200"));
});
