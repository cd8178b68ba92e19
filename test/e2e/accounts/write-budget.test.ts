import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type ApiAnswer, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { createConversation } from "../../support/conversations.ts";
import { newDevice, registerDevice } from "../../support/devices.ts";
import { eventually } from "../../support/eventually.ts";
import { newMlsClient } from "../../support/mls.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { logIn, newUser, register } from "../../support/users.ts";

const kilobyte = 1024;
const refused = "429 too-many-requests";
const limits = { perUser: 100 * kilobyte, perAnonymousUser: 10 * kilobyte };

/** A JSON text of this many bytes. */
const jsonOf = (bytes: number) => JSON.stringify("x".repeat(bytes - 2));

/** Access token of a new anonymous user. */
async function anonymousUser(stack: OwnStack): Promise<string> {
  const { cookie } = await register({}, stack);
  return (await stack.publicApi("POST", "/access", { cookie })).body.access_token;
}

const setProperty = ({ publicApi }: OwnStack, token: string, bytes: number, key = "key") =>
  publicApi("PUT", `/properties/${key}`, {
    token,
    body: jsonOf(bytes),
    headers: { "content-type": "application/json" },
  });

const setPicture = ({ publicApi }: OwnStack, token: string, bytes: number) =>
  publicApi("PUT", "/self", { token, json: { picture: [{ data: "x".repeat(bytes) }] } });

describe.concurrent("the bytes that a user writes in a day", () => {
  it("are limited for properties and profile together, until the next day", async () => {
    const stack = await stackWith({ setDailyWriteBudget: limits }, { isClockStopped: true });
    const user = await newUser({}, stack);
    const { token } = user;
    expect(outcome(await setProperty(stack, token, 94 * kilobyte))).toBe("200");
    expect(outcome(await setPicture(stack, token, 3 * kilobyte))).toBe("200");
    const answer = await setProperty(stack, token, 2 * kilobyte);
    expect(outcome(answer)).toBe(refused);
    expect(outcome(await setPicture(stack, token, 2 * kilobyte))).toBe(refused);
    expect((await stack.publicApi("GET", "/properties/key", { token })).body).toHaveLength(94 * kilobyte - 2);

    const wait = Number(answer.headers.get("retry-after"));
    expect(wait).toBe(86_400 - (Math.floor(stack.clock() / 1000) % 86_400));
    stack.advance(wait);
    const { body } = await logIn(user, { apis: stack });
    expect(outcome(await setProperty(stack, body.access_token, 60 * kilobyte))).toBe("200");
  });

  it("are limited to fewer for an anonymous account", async () => {
    const stack = await stackWith({ setDailyWriteBudget: limits }, { isClockStopped: true });
    const [token, other] = [await anonymousUser(stack), await anonymousUser(stack)];
    expect(outcome(await setPicture(stack, token, 3 * kilobyte))).toBe("200");
    expect(outcome(await setProperty(stack, token, 6 * kilobyte))).toBe(refused);
    expect(outcome(await setProperty(stack, other, 6 * kilobyte))).toBe("200");
  });

  it("include a minimum for every change, so that events are limited, too", async () => {
    const stack = await stackWith({ setDailyWriteBudget: limits }, { isClockStopped: true });
    const token = await anonymousUser(stack);
    let events = 0;
    for (let count = 0; count < 12; count++) {
      const answers = [
        await stack.publicApi("PUT", "/self", { token, json: { accent_id: count + 1 } }),
        await stack.publicApi("PUT", "/self/locale", { token, json: { locale: count % 2 ? "de" : "fr" } }),
        await setProperty(stack, token, count + 3),
        await stack.publicApi("DELETE", "/properties/key", { token }),
      ];
      events += answers.filter(({ status }) => status === 200).length;
      expect(["200", refused]).toContain(outcome(answers[0] as (typeof answers)[0]));
    }
    expect(outcome(await setProperty(stack, token, 5))).toBe(refused);
    await eventually(async () => {
      const { body } = await stack.publicApi("GET", "/notifications?size=100", { token });
      // Several events that wait for the same log share a notification.
      const received = body.notifications.flatMap(({ payload }: { payload: object[] }) => payload);
      expect(received.length).toBeGreaterThanOrEqual(9);
      expect(received.length).toBeLessThanOrEqual(Math.min(20, events));
    });
  });

  it("include those of device registrations", async () => {
    const stack = await stackWith({ setDailyWriteBudget: limits }, { isClockStopped: true });
    const { publicApi } = stack;
    const token = await anonymousUser(stack);
    const device = newDevice();
    const outcomes = [];
    for (let count = 0; count < 10; count++) {
      outcomes.push(outcome(await registerDevice({ token }, device, { publicApi })));
    }
    expect(outcomes.indexOf(refused)).toBeGreaterThan(1);
    expect(outcomes.at(-1)).toBe(refused);
  });

  it("include those of changes of conversations and teams", async () => {
    const stack = await stackWith(
      { setDailyWriteBudget: { perUser: 11 * kilobyte } },
      { isClockStopped: true },
    );
    const { publicApi } = stack;
    const [{ owner, id }, user] = await Promise.all([newTeam({}, stack), newUser({}, stack)]);
    const { body } = await publicApi("POST", "/v9/conversations", {
      token: user.token,
      json: { qualified_users: [], name: "group" },
    });
    const path = `/v9/conversations/${localDomain}/${body.qualified_id.id}`;
    const { token } = user;
    const changes: [number, () => Promise<ApiAnswer>][] = [
      [4, () => publicApi("PUT", `${path}/name`, { token, json: { name: randomUUID() } })],
      [5, () => publicApi("PUT", `${path}/self`, { token, json: { hidden: true } })],
      [10, () => publicApi("PUT", `/teams/${id}`, { token: owner.token, json: { name: randomUUID() } })],
    ];
    for (const [allowed, change] of changes) {
      for (let count = 0; count < allowed; count++) expect((await change()).status).toBe(200);
    }
    for (const [, change] of changes.slice(1)) expect(outcome(await change())).toBe(refused);
    expect(outcome(await publicApi("PUT", `${path}/name`, { token, json: { name: "x" } }))).toBe(refused);
  });

  it("include those of key packages, commits and resets of MLS groups", async () => {
    const stack = await stackWith(
      {
        setDailyWriteBudget: { perUser: 16 * kilobyte },
        setDailyUploadBudget: { perUser: 16 * kilobyte },
      },
      { isClockStopped: true },
    );
    const { publicApi } = stack;
    const user = await newUser({}, stack);
    const client = await newMlsClient(user, { packages: 0, publicApi });
    const { body } = await createConversation(user, { protocol: "mls" }, stack);
    await client.create(body.group_id);
    const commits: string[] = [];
    for (let count = 0; count < 12; count++) commits.push(outcome(await client.commit()));
    expect(commits.filter((one) => one === "201").length).toBeGreaterThan(1);
    expect(commits.at(-1)).toBe(refused);

    const path = `/v9/mls/key-packages/self/${client.clientId}`;
    const upload = async () => {
      const key_packages = [await client.device.make()];
      return outcome(await publicApi("POST", path, { token: client.token, json: { key_packages } }));
    };
    const uploads: string[] = [];
    for (let count = 0; count < 12; count++) uploads.push(await upload());
    expect(uploads[0]).toBe("201");
    expect(uploads.at(-1)).toBe(refused);
    const json = { group_id: body.group_id, epoch: client.epoch };
    const reset = await publicApi("POST", "/v9/mls/reset-conversation", { token: client.token, json });
    expect(outcome(reset)).toBe(refused);
  });

  it("include what operations store without charging it themselves", async () => {
    const stack = await stackWith(
      { setDailyWriteBudget: { perUser: 5 * kilobyte } },
      { isClockStopped: true },
    );
    const { token } = await newUser({}, stack);
    const create = async () =>
      outcome(
        await stack.publicApi("POST", "/v9/conversations", {
          token,
          json: { qualified_users: [], name: "x" },
        }),
      );
    const outcomes: string[] = [];
    for (let count = 0; count < 6; count++) outcomes.push(await create());
    expect(outcomes).toEqual([...Array(4).fill("201"), ...Array(2).fill(refused)]);
    const list = { token, json: { size: 10 } };
    expect(outcome(await stack.publicApi("POST", "/v9/conversations/list-ids", list))).toBe("200");
  });

  it("never exceed the budget, however many changes are concurrent", async () => {
    const stack = await stackWith({ setDailyWriteBudget: limits }, { isClockStopped: true });
    const { token } = await newUser({}, stack);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => setProperty(stack, token, 30 * kilobyte, `key-${index}`)),
    );
    const outcomes = answers.map(outcome);
    expect(outcomes.filter((one) => one === "200").length).toBeLessThanOrEqual(3);
    expect(outcomes.filter((one) => one === "200").length).toBeGreaterThan(0);
    for (const one of outcomes) expect(["200", refused, "409 concurrent-change"]).toContain(one);
    const { body } = await stack.publicApi("GET", "/properties", { token });
    expect(body).toHaveLength(outcomes.filter((one) => one === "200").length);
  });

  it("do not include those that are refused or already stored", async () => {
    const stack = await stackWith(
      { setDailyWriteBudget: limits, setPropertyMaxValueLen: 60 * kilobyte },
      { isClockStopped: true },
    );
    const { token } = await newUser({}, stack);
    for (let count = 0; count < 5; count++) {
      expect(outcome(await setProperty(stack, token, 61 * kilobyte))).toBe("403 property-value-too-large");
      const same = await stack.publicApi("PUT", "/self", { token, json: { name: "Ada" } });
      expect(outcome(same)).toBe("200");
    }
    expect(outcome(await setProperty(stack, token, 60 * kilobyte))).toBe("200");
  });

  it("are unlimited if the operator sets no budget", async () => {
    const stack = await stackWith(
      { setDailyWriteBudget: { perAnonymousUser: null } },
      { isClockStopped: true },
    );
    const token = await anonymousUser(stack);
    for (let count = 0; count < 4; count++) {
      expect(outcome(await setProperty(stack, token, 500_000, `key-${count}`))).toBe("200");
    }
  });
});
