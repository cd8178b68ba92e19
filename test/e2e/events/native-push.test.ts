import { randomUUID } from "node:crypto";
import { CreatePlatformEndpointCommand, SetEndpointAttributesCommand, SNSClient } from "@aws-sdk/client-sns";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interceptAwsCalls, xmlAnswer } from "#lib/local/aws-calls.ts";
import { PushEndpointStore } from "#shared/events/push/push-endpoint-store.ts";
import { PushTokenStore } from "#shared/events/push/push-token-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { requestConnection, updateConnection } from "../../support/connections.ts";
import { conversationData } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import { addDevices, type OtrMessage, recipientsOf, sendJson } from "../../support/otr-messages.ts";
import { type OwnStack, ownStack, stopOwnStacks } from "../../support/own-stack.ts";
import {
  endpointAttributes,
  newAppleToken,
  newPushToken,
  type PushToken,
  pushApplications,
  pushesTo,
  pushTokensOf,
  registerPushToken,
} from "../../support/push-tokens.ts";
import { openSocket, terminateSockets } from "../../support/socket.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { newUser, type User } from "../../support/users.ts";

const sns = new SNSClient({ region: "eu-central-1" });
const sqs = new SQSClient({ region: "eu-central-1" });
let stack: OwnStack;
beforeAll(async () => {
  stack = await ownStack({ pushApplications });
});
afterAll(async () => {
  terminateSockets();
  await stopOwnStacks();
});

/** A group of a sender with one device, and a receiver with devices that have push tokens. */
async function newGroup(...tokens: Partial<PushToken>[]) {
  const [ann, ben] = await Promise.all([newUser(undefined, stack), newUser(undefined, stack)]);
  const [[sender = ""], devices] = await Promise.all([
    addDevices(ann, 1, stack),
    addDevices(ben, tokens.length, stack),
  ]);
  const registered = tokens.map((fields, index) => {
    const client = devices[index] ?? "";
    return fields.transport === undefined || fields.transport === "GCM"
      ? newPushToken({ client, ...fields })
      : newAppleToken({ client, ...fields });
  });
  for (const token of registered) await registerPushToken(ben, token, stack);
  const group = await conversationData(stack).newConversation([ann, ben]);
  const send = async (fields: Partial<OtrMessage> = {}) => {
    const recipients = recipientsOf([ben, devices]);
    const { status } = await sendJson(group, ann, { sender, recipients, ...fields }, stack);
    expect(status).toBe(201);
  };
  return { ann, ben, sender, devices, tokens: registered, group, send };
}

/** Ids of the notifications that a device has been woken for, in order, once there are this many. */
const wokenFor = (token: PushToken | undefined, count: number): Promise<string[]> =>
  eventually(async () => {
    const pushes = await pushesTo(token ?? newPushToken());
    const ids = pushes.toReversed().map(({ text }) => JSON.parse(text).data.data.id as string);
    expect(ids).toHaveLength(count);
    return ids;
  });

interface Stored {
  readonly id: string;
  readonly payload: readonly { readonly type: string; readonly token?: object }[];
}
const storedFor = async ({ token }: Pick<User, "token">, clientId: string): Promise<Stored[]> =>
  (await stack.publicApi("GET", `/notifications?client=${clientId}`, { token })).body.notifications;
/** Wait until a device has this many events of a type. @returns the ids of their notifications */
const storedIds = (user: Pick<User, "token">, clientId: string, type: string, count: number) =>
  eventually(async () => {
    const ofType = (await storedFor(user, clientId)).filter(({ payload }) =>
      payload.some((event) => event.type === type),
    );
    expect(ofType).toHaveLength(count);
    return ofType.map(({ id }) => id);
  });
const messages = "conversation.otr-message-add";

const storeContext = () => ({
  dynamo: createDynamo(),
  config: stackConfig(stack.prefix),
  clock: systemClock,
});

async function endpointOf({ id }: Pick<User, "id">, { token }: PushToken): Promise<string> {
  const { tokens } = await new PushTokenStore(storeContext()).get(id);
  return tokens.find((one) => one.token === token)?.endpointArn ?? "";
}

const sharersOf = async (arn: string) => (await new PushEndpointStore(storeContext()).get(arn)).userIds;

/** Move a token to an app that the settings no longer name. @returns its endpoint */
async function moveToFormerApp({ id }: Pick<User, "id">, { token }: PushToken): Promise<string> {
  const context = storeContext();
  const [tokenStore, endpointStore] = [new PushTokenStore(context), new PushEndpointStore(context)];
  const application = pushApplications[0]?.arn.replace("messenger", "former");
  const create = new CreatePlatformEndpointCommand({ PlatformApplicationArn: application, Token: token });
  const { EndpointArn: endpointArn = "" } = await sns.send(create);
  const own = await tokenStore.get(id);
  const moved = own.tokens.map((one) => (one.token === token ? { ...one, endpointArn } : one));
  const endpoint = await endpointStore.get(endpointArn);
  await transact(context.dynamo, [...tokenStore.put(own, moved), endpointStore.put(endpoint, [id])]);
  return endpointArn;
}

/** Report an endpoint event as SNS does. */
async function report(event: object): Promise<void> {
  const QueueUrl = stackConfig(stack.prefix).queueUrl("push-endpoints");
  const common = { Service: "SNS", Resource: pushApplications[0]?.arn, Time: new Date().toISOString() };
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify({ ...common, ...event }) }));
}

/** SNS's refusal of a push for a reason other than its endpoint. */
const refusedPayload = `<ErrorResponse><Error><Type>Sender</Type><Code>InvalidParameter</Code>
<Message>Invalid parameter: Message Reason: JSON message body failed to parse</Message></Error></ErrorResponse>`;

const disable = (arn: string) =>
  sns.send(new SetEndpointAttributesCommand({ EndpointArn: arn, Attributes: { Enabled: "false" } }));

describe.concurrent("a device that is not connected", () => {
  it("is woken once by FCM, and told only what to fetch", async () => {
    const { ben, devices, tokens, send } = await newGroup({});
    await send();
    const [id] = await storedIds(ben, devices[0] ?? "", messages, 1);
    expect(await wokenFor(tokens[0], 1)).toEqual([id]);
    const [push] = await pushesTo(tokens[0] ?? newPushToken());
    expect(JSON.parse(push?.text ?? "")).toEqual({
      data: { type: "notice", data: { id }, user: ben.id },
      priority: "high",
    });
  });

  it("is woken once by APNs, and told only what to fetch", async () => {
    const { ben, devices, tokens, send } = await newGroup({ transport: "APNS" });
    await send();
    const [id] = await storedIds(ben, devices[0] ?? "", messages, 1);
    expect(await wokenFor(tokens[0], 1)).toEqual([id]);
    const [push] = await pushesTo(tokens[0] ?? newPushToken());
    expect(JSON.parse(push?.text ?? "")).toEqual({
      aps: { alert: { title: "New message" }, "mutable-content": "1" },
      data: { type: "notice", data: { id }, user: ben.id },
    });
  });

  it("is woken later by messages of low priority, and not at all if the sender wants that", async () => {
    const { tokens, send } = await newGroup({}, { transport: "APNS" });
    await send({ native_push: false });
    await send({ transient: true });
    await send({ native_priority: "low" });
    await wokenFor(tokens[0], 1);
    await wokenFor(tokens[1], 1);
    const [fcm, apns] = (await Promise.all(tokens.map((token) => pushesTo(token)))).flat();
    expect(JSON.parse(fcm?.text ?? "").priority).toBe("normal");
    expect(apns?.headers).toMatchObject({
      "AWS.SNS.MOBILE.APNS.PUSH_TYPE": "alert",
      "AWS.SNS.MOBILE.APNS.PRIORITY": "5",
    });
  });

  it("is woken by messages for itself, and not by those for another device", async () => {
    const { ben, devices, tokens, send } = await newGroup({}, {});
    const [one = "", other = ""] = devices;
    await send({ recipients: recipientsOf([ben, [other]]), report_missing: [] });
    await send({ recipients: recipientsOf([ben, [one]]), report_missing: [] });
    expect(await wokenFor(tokens[0], 1)).toEqual(await storedIds(ben, one, messages, 1));
    expect(await wokenFor(tokens[1], 1)).toEqual(await storedIds(ben, other, messages, 1));
  });

  it("is never woken by its own user", async () => {
    const { ann, ben, devices, tokens, group, sender, send } = await newGroup({}, {});
    const json = {
      sender: devices[0] ?? "",
      recipients: recipientsOf([ann, [sender]], [ben, devices.slice(1)]),
    };
    expect((await sendJson(group, ben, json, stack)).status).toBe(201);
    await send();
    const [, last] = await storedIds(ben, devices[1] ?? "", messages, 2);
    expect(await wokenFor(tokens[1], 1)).toEqual([last]);
  });

  it("is woken by a connection request and its acceptance, but not by their consequences", async () => {
    const [ann, ben] = await Promise.all([newUser(undefined, stack), newUser(undefined, stack)]);
    const [[a = ""], [b = ""]] = await Promise.all([addDevices(ann, 1, stack), addDevices(ben, 1, stack)]);
    const [ofAnn, ofBen] = [newPushToken({ client: a }), newPushToken({ client: b })];
    await registerPushToken(ann, ofAnn, stack);
    await registerPushToken(ben, ofBen, stack);
    await requestConnection(ann, ben, stack);
    await updateConnection(ben, ann, "accepted", stack);
    const group = await conversationData(stack).newConversation([ann, ben]);
    await sendJson(group, ann, { sender: a, recipients: recipientsOf([ben, [b]]) }, stack);
    await sendJson(group, ben, { sender: b, recipients: recipientsOf([ann, [a]]) }, stack);
    await Promise.all([storedIds(ann, a, messages, 1), storedIds(ben, b, messages, 1)]);
    // One for the connection, and one for the message that came after everything else.
    await wokenFor(ofBen, 2);
    await wokenFor(ofAnn, 2);
  });
});

describe.concurrent("a device that is connected", () => {
  it("is not woken until its socket has closed", async () => {
    const { ben, devices, tokens, send } = await newGroup({});
    const [client = ""] = devices;
    const socket = await openSocket("/await", { token: ben.token, query: { client } }, stack);
    await send();
    await socket.first(1);
    await socket.close();
    await eventually(async () => {
      await send();
      expect(await pushesTo(tokens[0] ?? newPushToken())).not.toEqual([]);
    });
    // Read before the list, which then contains everything that the device was woken for.
    const [woken] = await pushesTo(tokens[0] ?? newPushToken());
    const ids = (await storedFor(ben, client)).map(({ id }) => id);
    expect(ids.indexOf(JSON.parse(woken?.text ?? "").data.data.id)).toBeGreaterThan(0);
  });

  it("is not woken while it reads its queue, even if other devices are", async () => {
    const { ben, devices, tokens, send } = await newGroup({}, {});
    const [client = "", other = ""] = devices;
    await stack.internalApi("POST", `/i/users/${ben.id}/clients/${client}/consumable-notifications`);
    const socket = await openSocket("/v9/events", { token: ben.token, query: { client } }, stack);
    for (let number = 0; number < 3; number++) await send();
    await socket.first(3);
    expect(await wokenFor(tokens[1], 3)).toEqual(await storedIds(ben, other, messages, 3));
    expect(await pushesTo(tokens[0] ?? newPushToken())).toEqual([]);
  });

  it("is woken when its queue's socket has vanished", async () => {
    const { ben, devices, tokens, send } = await newGroup({});
    const [client = ""] = devices;
    await stack.internalApi("POST", `/i/users/${ben.id}/clients/${client}/consumable-notifications`);
    const socket = await openSocket("/v9/events", { token: ben.token, query: { client } }, stack);
    await send();
    await socket.first(1);
    await socket.terminate();
    await send();
    await wokenFor(tokens[0], 1);
  });
});

describe.concurrent("a device in a larger group", () => {
  it("is woken only while it is not connected, as in a small one, also once it has a queue", async () => {
    const [ann, ...receivers] = (await Promise.all(
      Array.from({ length: 4 }, () => newUser(undefined, stack)),
    )) as [User, ...User[]];
    const [sender = ""] = await addDevices(ann, 1, stack);
    const members = await Promise.all(
      receivers.map(async (user) => {
        const [client = ""] = await addDevices(user, 1, stack);
        const token = newPushToken({ client });
        await registerPushToken(user, token, stack);
        return { user, client, token };
      }),
    );
    const [connected, ...others] = members as [(typeof members)[number], ...typeof members];
    const { user, client, token } = connected;
    const group = await conversationData(stack).newConversation([ann, ...receivers]);
    const send = async () => {
      const recipients = recipientsOf(
        ...members.map((member): [User, string[]] => [member.user, [member.client]]),
      );
      expect((await sendJson(group, ann, { sender, recipients }, stack)).status).toBe(201);
    };
    const socket = await openSocket("/await", { token: user.token, query: { client } }, stack);
    await send();
    await socket.first(1);
    await socket.close();
    await stack.internalApi("POST", `/i/users/${user.id}/clients/${client}/consumable-notifications`);
    const device = await openSocket("/v9/events", { token: user.token, query: { client } }, stack);
    await send();
    await device.first(1);
    for (const other of others)
      expect(await wokenFor(other.token, 2)).toEqual(await storedIds(other.user, other.client, messages, 2));
    expect(await pushesTo(token)).toEqual([]);
    await device.close();
    await send();
    await wokenFor(token, 1);
  });
});

describe.concurrent("a token that the provider no longer knows", () => {
  const gone = async (user: User, token: PushToken) => {
    await eventually(async () => expect(await pushTokensOf(user, stack)).toEqual([]));
    await storedIds(user, token.client, "user.push-remove", 1);
    const events = (await storedFor(user, token.client)).flatMap(({ payload }) => payload);
    expect(events.filter(({ type }) => type === "user.push-remove")).toEqual([
      { type: "user.push-remove", token },
    ]);
  };

  it("is removed by the next push, which also notifies its device and deletes the endpoint", async () => {
    const { ben, tokens, send } = await newGroup({});
    const [token = newPushToken()] = tokens;
    const arn = await endpointOf(ben, token);
    await disable(arn);
    const socket = await openSocket("/await", { token: ben.token, query: { client: "other" } }, stack);
    await send();
    await gone(ben, token);
    await eventually(async () => expect(await endpointAttributes(arn)).toBeUndefined());
    expect(await pushesTo(token)).toEqual([]);
    expect(socket.frames).toEqual([]);
  });

  it("is removed for everybody who shares the endpoint, and announced on the sockets of their devices", async () => {
    const { ben, tokens } = await newGroup({});
    const [token = newPushToken()] = tokens;
    const cal = await newUser(undefined, stack);
    const [client = ""] = await addDevices(cal, 1, stack);
    const shared = { ...token, client };
    await registerPushToken(cal, shared, stack);
    const socket = await openSocket("/await", { token: cal.token, query: { client } }, stack);
    const EndpointArn = await endpointOf(ben, token);
    await report({ EventType: "DeliveryFailure", FailureType: "InvalidPlatformToken", EndpointArn });
    await Promise.all([gone(ben, token), gone(cal, shared)]);
    await socket.next(({ payload }) => payload[0].type === "user.push-remove");
  });

  it.each([
    ["was deleted", { EventType: "EndpointDeleted" }, async () => {}],
    ["is disabled", { EventType: "DeliveryFailure", FailureType: "EndpointDisabled" }, disable],
    ["was disabled", { EventType: "EndpointUpdated" }, disable],
    [
      "has another token now",
      { EventType: "EndpointUpdated" },
      (arn: string) =>
        sns.send(
          new SetEndpointAttributesCommand({ EndpointArn: arn, Attributes: { Token: newPushToken().token } }),
        ),
    ],
  ])("is removed when SNS reports that its endpoint %s", async (_, event, happen) => {
    const { ben, tokens } = await newGroup({});
    const [token = newPushToken()] = tokens;
    const EndpointArn = await endpointOf(ben, token);
    await happen(EndpointArn);
    await report({ ...event, EndpointArn });
    await gone(ben, token);
  });

  it("stays when SNS reports something irrelevant, or something from before its registration", async () => {
    const { ben, tokens, send } = await newGroup({}, {});
    const [token = newPushToken(), other = newPushToken()] = tokens;
    const EndpointArn = await endpointOf(ben, token);
    await report({ EventType: "EndpointCreated", EndpointArn });
    await report({ EventType: "EndpointUpdated", EndpointArn });
    await report({ EventType: "DeliveryFailure", FailureType: "NotificationTTLExpired", EndpointArn });
    await report({ EventType: "EndpointDeleted", EndpointArn, Time: "2020-01-01T00:00:00.000Z" });
    await report({ EventType: "EndpointDeleted", EndpointArn: await endpointOf(ben, other) });
    await eventually(async () => expect(await pushTokensOf(ben, stack)).toEqual([token]));
    await send();
    await wokenFor(token, 1);
  });
});

describe("an app that the operator has taken out of the settings", () => {
  it("wakes nobody, and leaves its endpoints to SNS", async () => {
    const { ben, tokens, send } = await newGroup({}, {});
    const [former = newPushToken(), token] = tokens;
    const arn = await moveToFormerApp(ben, former);
    await send();
    await send();
    await wokenFor(token, 2);
    expect(await pushesTo(former)).toEqual([]);

    const { token: caller } = ben;
    await stack.publicApi("DELETE", `/push/tokens/${former.token}`, { token: caller });
    await eventually(async () => expect(await sharersOf(arn)).toEqual([]));
    expect(await endpointAttributes(arn)).toMatchObject({ Enabled: "true" });
  });
});

describe("a provider that fails", () => {
  it("delays neither events nor pushes of others, and gets its pushes afterwards", async () => {
    const [failing, working] = await Promise.all([newGroup({}), newGroup({})]);
    const [token = newPushToken()] = failing.tokens;
    const arn = await endpointOf(failing.ben, token);
    const endFaults = injectFaults(({ body }) =>
      body.includes("Action=Publish") && body.includes(encodeURIComponent(arn)) ? "timed-out" : undefined,
    );
    try {
      await failing.send();
      await working.send();
      await storedIds(failing.ben, token.client, messages, 1);
      await wokenFor(working.tokens[0], 1);
      await failing.send();
      await storedIds(failing.ben, token.client, messages, 2);
      expect(await pushesTo(token)).toEqual([]);
    } finally {
      endFaults();
    }
    expect(await wokenFor(token, 2)).toEqual(await storedIds(failing.ben, token.client, messages, 2));
  });

  it("costs no device its token when SNS refuses the content of a push", async () => {
    const { ben, tokens, send } = await newGroup({});
    const [token = newPushToken()] = tokens;
    const arn = encodeURIComponent(await endpointOf(ben, token));
    let refusals = 0;
    const endRefusals = interceptAwsCalls(async ({ body }, pass) => {
      if (!body.includes("Action=Publish") || !body.includes(arn)) return pass();
      refusals++;
      return xmlAnswer(400, refusedPayload);
    });
    await send();
    await eventually(async () => expect(refusals).toBeGreaterThan(1)).finally(endRefusals);
    expect(await pushTokensOf(ben, stack)).toEqual([token]);
    await wokenFor(token, 1);
  });

  it("gets each push once, however often the delivery is repeated", async () => {
    const { ben, devices, tokens, send } = await newGroup({});
    const event = JSON.stringify({ type: "test.repeated" });
    const delivery = {
      eventId: randomUUID(),
      isTransient: false,
      hasOwnViews: false,
      push: { priority: "high" },
      committedAt: Date.now(),
      recipients: [{ userId: ben.id }],
      event,
      bytes: event.length,
      isShared: false,
      isRepeated: false,
    };
    for (const receives of [1, 2, 3]) {
      const record = {
        messageId: randomUUID(),
        receiptHandle: randomUUID(),
        body: JSON.stringify({ deliveries: [delivery] }),
        attributes: { ApproximateReceiveCount: String(receives), MessageGroupId: "0" },
      };
      expect(await stack.invoke("delivery", { Records: [record] })).toEqual({ batchItemFailures: [] });
    }
    const [first] = await storedIds(ben, devices[0] ?? "", "test.repeated", 1);
    await send();
    const [last] = await storedIds(ben, devices[0] ?? "", messages, 1);
    expect(await wokenFor(tokens[0], 2)).toEqual([first, last]);
  });
});
