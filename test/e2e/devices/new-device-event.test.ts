import { beforeAll, describe, expect, it, type TestContext } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { runningFunction } from "#lib/local/running-function.ts";
import { type Notification, streams } from "#shared/events/notification.ts";
import type { ApiAnswer } from "../../support/api.ts";
import { idOf, newDevice, registerDevice } from "../../support/devices.ts";
import { type EventSource, eventSource, upTo } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { type AwsCall, injectFaults } from "../../support/faults.ts";
import { dyingStack } from "../../support/kills/kills.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { openSocket } from "../../support/socket.ts";
import { logIn, newUser, type User } from "../../support/users.ts";

let stack: OwnStack;
let source: EventSource;
beforeAll(async () => {
  stack = await ownStack({ outboxResendSeconds: 1 });
  source = eventSource(stack);
});

interface NotificationView {
  readonly id: string;
  readonly payload: readonly { readonly type: string; readonly client?: { readonly id: string } }[];
}

const register = (user: Pick<User, "token">, fields: object = {}, { publicApi } = stack) =>
  registerDevice(user, { ...fields }, { publicApi });

/** Register a device, and read the last notification immediately, as existing clients do. */
async function registerAndRead(user: User, fields: object = {}, apis = stack) {
  const added = await register(user, { password: user.password, ...fields }, apis);
  const path = `/notifications/last?client=${added.body.id}`;
  return { added, last: await apis.publicApi("GET", path, { token: user.token }) };
}

async function listed(
  { token }: Pick<User, "token">,
  query = "",
  { publicApi } = stack,
): Promise<NotificationView[]> {
  return (await publicApi("GET", `/notifications${query}`, { token })).body.notifications;
}

/** Device events in notifications, in order. */
const deviceEvents = (notifications: readonly NotificationView[]): string[] =>
  notifications.flatMap(({ payload }) =>
    payload.flatMap(({ type, client }) => (client === undefined ? [] : [`${type} ${client.id}`])),
  );

const added = ({ body }: Pick<ApiAnswer, "body">) => `user.client-add ${body.id}`;

/** Wait until the workers have handled everything that a user has sent. */
async function untilDelivered({ id: userId }: Pick<User, "id">, events = source): Promise<void> {
  const number = Math.floor(Math.random() * 2 ** 31);
  await events.publish({ number, to: [{ userId }], sender: userId });
  await eventually(async () => expect(await events.numbersIn(streams.user(userId))).toContain(number));
}

async function entriesOf({ id: userId }: Pick<User, "id">, { store } = source): Promise<Notification[]> {
  const entries: Notification[] = [];
  for await (const entry of store.after(streams.user(userId), 0)) entries.push(entry);
  return entries;
}

/** Whether the function that registers devices makes this call about the log of a user. */
const isOwnCall = ({ body }: AwsCall, { id }: Pick<User, "id">) =>
  runningFunction.getStore()?.manifest.name === "clients" && body.includes(streams.user(id));

/** Delay calls until `release`, or the end of the test. @returns `release` */
function delay(
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  isDelayed: (call: AwsCall) => boolean,
): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = interceptAwsCalls(async (call, send) => {
    if (isDelayed(call)) await promise;
    return send();
  });
  onTestFinished(() => {
    end();
    resolve();
  });
  return resolve;
}

describe.concurrent("the event of a new device", () => {
  it("is the last notification as soon as the registration is answered, and is stored once", async () => {
    const users = await Promise.all(upTo(30).map(() => newUser({}, stack)));
    await Promise.all(
      users.map(async (user) => {
        const { added: answer, last } = await registerAndRead(user);
        expect({ status: last.status, events: deviceEvents([last.body]) }).toEqual({
          status: 200,
          events: [added(answer)],
        });
        await untilDelivered(user);
        expect(deviceEvents(await listed(user))).toEqual([added(answer)]);
        const query = `?since=${last.body.id}&client=${answer.body.id}`;
        expect(deviceEvents(await listed(user, query))).toEqual([]);
      }),
    );
  });

  it("reaches other connections under its id in the log", async () => {
    const user = await newUser({}, stack);
    const { access_token: token } = (await logIn(user, { apis: stack })).body;
    const socket = await openSocket("/await", { token }, stack);
    const { last } = await registerAndRead(user);
    const [frame] = await socket.first(1);
    expect(frame).toMatchObject({ id: last.body.id, payload: last.body.payload });
  });

  it("is stored once in the queue of its device", async () => {
    const user = await newUser({}, stack);
    const { added: answer, last } = await registerAndRead(user, {
      capabilities: ["consumable-notifications"],
    });
    await untilDelivered(user);
    const query = { client: answer.body.id };
    const socket = await openSocket("/v8/events", { token: user.token, query }, stack);
    const [first, second] = await socket.first(2);
    expect(first.data.event.payload).toEqual(last.body.payload);
    expect(second.data.event.payload).toMatchObject([{ type: "test.numbered" }]);
  });

  it("follows that of the temporary device that it replaces, in one notification", async () => {
    const user = await newUser({}, stack);
    const first = await register(user, { type: "temporary" });
    const { added: second, last } = await registerAndRead(user, { type: "temporary" });
    expect(deviceEvents([last.body])).toEqual([`user.client-remove ${first.body.id}`, added(second)]);
    await untilDelivered(user);
    expect(deviceEvents(await listed(user))).toEqual([added(first), ...deviceEvents([last.body])]);
  });

  it("is the only one that is stored for its device, when several are registered concurrently", async () => {
    const user = await newUser({}, stack);
    const answers = await Promise.all(upTo(6).map(() => registerAndRead(user)));
    expect(answers.map(({ last }) => last.status)).toEqual(Array(6).fill(200));
    await untilDelivered(user);
    const expected = answers.map((answer) => added(answer.added)).toSorted();
    // A function that others keep from the log leaves its event to the workers.
    await eventually(async () => expect(deviceEvents(await listed(user)).toSorted()).toEqual(expected));
  });

  it("is stored once while others fill the log, whose ids keep increasing", async () => {
    const user = await newUser({}, stack);
    const reader = { userId: user.id };
    const numbers = upTo(60);
    const sending = Promise.all(
      numbers.map((number) => source.publish({ number, to: [reader], sender: user.id })),
    );
    const answers: ApiAnswer[] = [];
    for (const _ of upTo(5)) {
      const { added: answer, last } = await registerAndRead(user);
      expect(last.status).toBe(200);
      answers.push(answer);
    }
    await sending;
    await untilDelivered(user);
    expect(deviceEvents(await listed(user))).toEqual(answers.map(added));
    const entries = await entriesOf(user);
    expect(entries.map(({ position }) => position)).toEqual(upTo(entries.length));
    const times = entries.map(({ id }) => [id.slice(14, 18), id.slice(9, 13), id.slice(0, 8)].join(""));
    expect(times).toEqual(times.toSorted());
    expect(new Set(times).size).toBe(times.length);
    const stored = (await source.numbersIn(streams.user(user.id))).filter(Number.isInteger);
    expect(stored.filter((number) => number <= 60).toSorted((one, other) => one - other)).toEqual(numbers);
  });

  it.for(["Query", "BatchExecuteStatement"])(
    "is stored once when a worker is faster than the %s of the function",
    async (action, context) => {
      const user = await newUser({}, stack);
      const release = delay(context, (call) => call.action === action && isOwnCall(call, user));
      const registering = registerAndRead(user);
      const [entry] = await eventually(async () => {
        const entries = await entriesOf(user);
        expect(entries).toHaveLength(1);
        return entries;
      });
      release();
      const { last } = await registering;
      expect(last.body.id).toBe(entry?.id);
      await untilDelivered(user);
      expect(await listed(user)).toMatchObject([{ id: entry?.id }, {}]);
    },
  );

  it("is stored once although the answer to the function is lost", async ({ onTestFinished }) => {
    const user = await newUser({}, stack);
    let lost = 0;
    onTestFinished(
      injectFaults((call) => {
        if (call.action !== "BatchExecuteStatement" || !isOwnCall(call, user) || lost > 0) return undefined;
        lost++;
        return "answer-lost";
      }),
    );
    const { added: answer, last } = await registerAndRead(user);
    expect(lost).toBe(1);
    expect(deviceEvents([last.body])).toEqual([added(answer)]);
    await untilDelivered(user);
    expect(deviceEvents(await listed(user))).toEqual([added(answer)]);
  });

  it("is left to a worker when the function cannot store it", async ({ onTestFinished }) => {
    const user = await newUser({}, stack);
    const isRead = (call: AwsCall) => call.action === "Query" && isOwnCall(call, user);
    onTestFinished(injectFaults((call) => (isRead(call) ? "denied" : undefined)));
    const answer = await register(user);
    expect(answer.status).toBe(201);
    await untilDelivered(user);
    expect(deviceEvents(await listed(user))).toEqual([added(answer)]);
  });

  it("is stored once when the process dies between the commit and its own entry", async ({
    onTestFinished,
  }) => {
    const mortal = await ownStack({ outboxResendSeconds: 1 });
    const user = await newUser({}, mortal);
    const device = newDevice();
    const dying = await dyingStack(mortal, {
      action: "BatchExecuteStatement",
      mentions: streams.user(user.id),
    });
    // No worker of this process stores the event before the other one dies.
    const release = delay(
      { onTestFinished },
      ({ action, body }) => action === "BatchExecuteStatement" && body.includes(streams.user(user.id)),
    );
    const path = "/v8/clients";
    await expect(dying.publicApi("POST", path, { token: user.token, json: device })).rejects.toThrow();
    expect(await dying.ended).toBe("SIGKILL");
    release();
    const events = eventSource(mortal);
    await untilDelivered(user, events);
    expect(deviceEvents(await listed(user, "", mortal))).toEqual([`user.client-add ${idOf(device)}`]);
  });

  it("is readable after older entries and the notes about them have expired", async () => {
    const aging = await ownStack({ notificationTTL: 3600 });
    const events = eventSource(aging);
    const user = await newUser({}, aging);
    await register(user, {}, aging);
    await untilDelivered(user, events);
    aging.advance(2 * 3600);
    const { access_token: token } = (await logIn(user, { apis: aging })).body;
    const { added: answer, last } = await registerAndRead({ ...user, token }, {}, aging);
    expect(deviceEvents([last.body])).toEqual([added(answer)]);
    await untilDelivered(user, events);
    expect(deviceEvents(await listed({ token }, "", aging))).toEqual([added(answer)]);
    const positions = (await entriesOf(user, events)).map(({ position }) => position);
    // Expired entries may have been purged meanwhile.
    expect(positions).toEqual(upTo(positions.at(-1) ?? 0).slice(-positions.length));
  });

  it("never overtakes the removal of the same device", async (context) => {
    const user = await newUser({}, stack);
    const device = newDevice();
    const id = idOf(device);
    await register(user, device);
    await untilDelivered(user);
    const isHandedOn = ({ action, body }: AwsCall) =>
      action === "SendMessageBatch" && body.includes("client-remove") && body.includes(id);
    const release = delay(context, isHandedOn);
    const json = { password: user.password };
    await stack.publicApi("DELETE", `/v8/clients/${id}`, { token: user.token, json });
    const again = await register(user, device);
    expect(again.status).toBe(201);
    release();
    await untilDelivered(user);
    expect(deviceEvents(await listed(user))).toEqual([
      added(again),
      `user.client-remove ${id}`,
      added(again),
    ]);
  });
});
