import { describe, expect, it } from "vitest";
import { itemsMentioning } from "../../support/all-items.ts";
import { outcome } from "../../support/api.ts";
import { mixed } from "../../support/assets.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { uploadBody } from "../../support/upload-body.ts";
import { newUser, register } from "../../support/users.ts";

const kilobyte = 1024;
const refused = "429 too-many-requests";

const stack = await stackWith(
  { setDailyUploadBudget: { perUser: 100 * kilobyte, perAnonymousUser: 10 * kilobyte } },
  { isClockStopped: true },
);

const upload = ({ publicApi }: OwnStack, token: string, bytes: number) =>
  publicApi("POST", "/v8/assets", {
    token,
    headers: mixed,
    body: uploadBody({ content: "x".repeat(bytes) }),
  });

describe.concurrent("the bytes that a user uploads in a day", () => {
  it("are limited until midnight, and nothing is stored of a refused upload", async () => {
    const [user, other] = await Promise.all([newUser({}, stack), newUser({}, stack)]);
    expect((await upload(stack, user.token, 90 * kilobyte)).status).toBe(201);
    const answer = await upload(stack, user.token, 9 * kilobyte);
    expect(outcome(answer)).toBe(refused);
    const untilMidnight = 86_400 - (Math.floor(stack.clock() / 1000) % 86_400);
    expect(Number(answer.headers.get("retry-after"))).toBe(untilMidnight);
    expect((await upload(stack, user.token, 7 * kilobyte)).status).toBe(201);
    expect((await itemsMentioning(user.id, stack.prefix)).assets).toHaveLength(2);
    expect((await upload(stack, other.token, 90 * kilobyte)).status).toBe(201);
  });

  it("are limited to fewer for an anonymous account", async () => {
    const { cookie } = await register({}, stack);
    const { body } = await stack.publicApi("POST", "/access", { cookie });
    expect((await upload(stack, body.access_token, 8 * kilobyte)).status).toBe(201);
    expect(outcome(await upload(stack, body.access_token, 8 * kilobyte))).toBe(refused);
  });

  it("never exceed the budget under concurrent uploads, none of which waits for another", async () => {
    const { token, id } = await newUser({}, stack);
    const answers = await Promise.all(Array.from({ length: 12 }, () => upload(stack, token, 23 * kilobyte)));
    const outcomes = answers.map(outcome).toSorted();
    expect(outcomes).toEqual([...Array(4).fill("201"), ...Array(8).fill(refused)]);
    expect((await itemsMentioning(id, stack.prefix)).assets).toHaveLength(4);
  });
});
