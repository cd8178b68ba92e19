import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { createLog } from "#shared/platform/log.ts";
import { Switches } from "#shared/platform/switches.ts";
import type { SwitchName } from "#shared/registry/switches.ts";
import { outcome } from "../../support/api.ts";
import { injectFaults } from "../../support/faults.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { pageVisitor } from "../../support/page-visitor.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { uploadBody } from "../../support/upload-body.ts";
import { logIn, newEmail, newUser, register, somePassword } from "../../support/users.ts";

const switchesOf = ({ prefix, clock }: OwnStack) =>
  new Switches({
    dynamo: createDynamo(),
    config: stackConfig(prefix),
    clock,
    log: createLog("test", "CRITICAL"),
  });

const send = (stack: OwnStack, token: string) =>
  stack.publicApi("POST", `/conversations/${randomUUID()}/otr/messages`, {
    token,
    json: { sender: "0", recipients: {} },
  });

const upload = (stack: OwnStack, token: string) =>
  stack.publicApi("POST", "/v9/assets", {
    token,
    body: uploadBody({ content: Buffer.from("a file") }),
    headers: { "content-type": "multipart/mixed; boundary=frontier" },
  });

/** The operations that each switch refuses, and their outcome while nothing is paused. */
const operations: Record<
  SwitchName,
  {
    readonly open: string;
    readonly request: (stack: OwnStack, user: { email: string; token: string }) => unknown;
  }
> = {
  registration: { open: "201", request: (stack) => register({ email: newEmail() }, stack) },
  "password-login": {
    open: "200",
    request: (stack, { email }) => logIn({ email, password: somePassword }, { apis: stack }),
  },
  uploads: { open: "201", request: (stack, { token }) => upload(stack, token) },
  messages: { open: "404 no-conversation", request: (stack, { token }) => send(stack, token) },
};
const names = Object.keys(operations) as SwitchName[];

describe("an operation that an operator has paused", () => {
  it.each(names)("is refused within a minute, and no other, until it is resumed: %s", async (name) => {
    const stack = await ownStack({}, { isClockStopped: true });
    const user = await newUser({}, stack);
    const outcomes = async () => {
      const answers: [string, string][] = [];
      for (const one of names)
        answers.push([one, outcome((await operations[one].request(stack, user)) as never)]);
      return Object.fromEntries(answers);
    };
    const open = Object.fromEntries(names.map((one) => [one, operations[one].open]));
    expect(await outcomes()).toEqual(open);

    await switchesOf(stack).pause(name, "abuse");
    stack.advance(60);
    expect(await outcomes()).toEqual({ ...open, [name]: "503 service-unavailable" });

    await switchesOf(stack).resume(name);
    stack.advance(60);
    expect(await outcomes()).toEqual(open);
  });

  it("is refused on pages, too", async () => {
    const stack = await ownStack();
    const visitor = pageVisitor(stack);
    await visitor.open("/account/profile");
    await switchesOf(stack).pause("password-login");
    const { status, heading } = await visitor.post("/account/login", {
      identity: "ada",
      password: somePassword,
    });
    expect([status, heading]).toEqual([503, "This didn’t work"]);
  });

  it("is refused on other ways to an account or a team", async () => {
    const stack = await ownStack();
    const { token } = await newUser({}, stack);
    await switchesOf(stack).pause("registration");
    const founding = { token, json: { name: "Engines", icon: "default" } };
    const upgraded = await stack.publicApi("POST", "/v8/upgrade-personal-to-team", founding);
    expect(outcome(upgraded)).toBe("503 service-unavailable");
    const form = { "team-code": "A".repeat(32), name: "Ada", password: somePassword };
    expect((await pageVisitor(stack).post("/activate/join", form)).status).toBe(503);
  });

  it("is refused with an explanation and the time to try again", async () => {
    const stack = await ownStack();
    await switchesOf(stack).pause("registration");
    const answer = await register({ email: newEmail() }, stack);
    expect(answer).toMatchObject({
      status: 503,
      body: { message: "Paused by the operator; try again later" },
    });
    expect(answer.headers.get("retry-after")).toBe("60");
  });

  it("keeps its state while the table cannot be read", async () => {
    const stack = await ownStack({}, { isClockStopped: true });
    let isDown = false;
    onTestFinished(
      injectFaults(({ body }) =>
        isDown && body.includes(`${stack.prefix}-switches`) ? "denied" : undefined,
      ),
    );
    isDown = true;
    expect(outcome(await register({ email: newEmail() }, stack))).toBe("201");
    isDown = false;
    await switchesOf(stack).pause("registration");
    stack.advance(10);
    expect(outcome(await register({ email: newEmail() }, stack))).toBe("503 service-unavailable");
    isDown = true;
    stack.advance(60);
    expect(outcome(await register({ email: newEmail() }, stack))).toBe("503 service-unavailable");
  });

  it("is looked up once a minute by a function that handles requests", async () => {
    const stack = await ownStack({}, { isClockStopped: true });
    const { token } = await newUser({}, stack);
    let reads = 0;
    onTestFinished(
      injectFaults(({ body }) => {
        if (body.includes(`${stack.prefix}-switches`)) reads++;
        return undefined;
      }),
    );
    await Promise.all(Array.from({ length: 10 }, () => upload(stack, token)));
    stack.advance(59);
    await upload(stack, token);
    expect(reads).toBe(1);
  });
});
