import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { api } from "../../support/api.ts";
import type { BotService } from "../../support/bot-service.ts";
import { addBot, newRunningService, type RunningService, removeBot } from "../../support/bots.ts";
import { localDomain } from "../../support/connections.ts";
import { newConversation } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { addDevices, recipientsOf, sendJson, textFor } from "../../support/otr-messages.ts";
import { putConnection, type Service, serviceData } from "../../support/services.ts";
import { newUser, type User } from "../../support/users.ts";

const data = serviceData();
const provider = data.newProvider();

/** Mark a service as being deleted, as if by a process that then died. */
async function beginDeletionOf({ id: serviceId, provider: providerId }: Service): Promise<void> {
  const service = await data.services.get(providerId, serviceId);
  if (service !== undefined) await transact(createDynamo(), data.services.beginDeletion(service));
}

/** A bot in a group, with the service that gets its events. */
interface Bot {
  readonly id: string;
  /** The device of the bot. */
  readonly clientId: string;
  readonly group: { readonly id: string };
  readonly server: BotService;
}

const pathOf = ({ id }: Pick<Bot, "id">) => `/bots/${id}/messages`;

/** Events that a bot got after those of its own arrival. */
const eventsOf = ({ server, ...bot }: Bot) =>
  server
    .callsOf(pathOf(bot))
    .slice(1)
    .map(({ body }) => body);

/** Takes steps until one of them takes less than this time, which at least one does even on a busy machine. */
async function oneSoonerThan<Step>(
  seconds: number,
  steps: readonly Step[],
  take: (step: Step) => Promise<void>,
): Promise<void> {
  const durations: number[] = [];
  for (const step of steps) {
    const startedAt = performance.now();
    await take(step);
    durations.push((performance.now() - startedAt) / 1000);
    if (Math.min(...durations) < seconds) return;
  }
  expect(durations).toEqual(`one below ${seconds}`);
}

/** Names that a bot was told, in the order of its calls. */
const namesOf = (bot: Bot): string[] => eventsOf(bot).map(({ data: { name } }) => name);

/** Add a bot to a new group; it has got the event of its arrival. */
async function newBotWith(users: readonly [User, ...User[]], service: RunningService): Promise<Bot> {
  const group = await newConversation(users);
  const { status, body } = await addBot(users[0], group, service);
  expect(status).toBe(201);
  const { server } = service;
  await eventually(() => expect(server.callsOf(pathOf(body))).toHaveLength(1));
  return { id: body.id, clientId: body.client, group, server };
}

/** A group of two users with a bot of a service of its own. */
async function newBot() {
  const [ann, ben, service] = await Promise.all([newUser(), newUser(), newRunningService(await provider)]);
  return { ann, ben, service, bot: await newBotWith([ann, ben], service) };
}

async function rename({ group }: Pick<Bot, "group">, { token }: Pick<User, "token">, name: string) {
  const { status } = await api("PUT", `/conversations/${group.id}/name`, { token, json: { name } });
  expect(status).toBe(200);
}

const typing = ({ group }: Pick<Bot, "group">, { token }: Pick<User, "token">) =>
  api("POST", `/v8/conversations/${localDomain}/${group.id}/typing`, { token, json: { status: "started" } });

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));

/** A group of a user and many bots of a service that does not answer for them. */
async function newStuckGroup(user: User, { provider, id, server }: RunningService, count: number) {
  const bots = Array.from({ length: count }, () => ({ id: randomUUID() }));
  const services = Object.fromEntries(bots.map((bot) => [bot.id, { id, provider }]));
  for (const bot of bots) server.answer(pathOf(bot), undefined);
  return { group: await newConversation([user, ...bots], { services }), bots };
}

describe.concurrent("a bot", () => {
  it("gets the event of its own arrival, as all members do", async () => {
    const { ann, ben, bot } = await newBot();
    const [call] = bot.server.callsOf(pathOf(bot));
    const [event] = await eventually(async () => {
      const events = await storedEvents(ben.token, "conversation.member-join");
      expect(events).toHaveLength(1);
      return events;
    });
    expect(call?.body).toEqual(event);
    expect(event).toMatchObject({ from: ann.id, data: { user_ids: [bot.id] } });
  });

  it("gets a message for its device in one call, as other devices see it", async () => {
    const { ann, ben, bot } = await newBot();
    const [[a1 = ""], [b1 = ""]] = await Promise.all([addDevices(ann), addDevices(ben)]);
    const recipients = recipientsOf([ben, [b1]], [{ id: bot.id }, [bot.clientId]]);
    const { status } = await sendJson(bot.group, ann, { sender: a1, recipients, data: "YWxs" });
    expect(status).toBe(201);

    await eventually(() => expect(eventsOf(bot)).toHaveLength(1));
    const { server } = bot;
    const call = server.calls.at(-1);
    expect(call).toMatchObject({ method: "POST", authorization: `Bearer ${server.authToken}` });
    expect(call?.body).toMatchObject({
      type: "conversation.otr-message-add",
      conversation: bot.group.id,
      from: ann.id,
      data: { sender: a1, recipient: bot.clientId, text: textFor(bot.clientId), data: "YWxs" },
    });
    const [event] = await eventually(async () => {
      const events = await storedEvents(ben.token, "conversation.otr-message-add");
      expect(events).toHaveLength(1);
      return events;
    });
    expect({ ...call?.body, data: undefined }).toEqual({ ...event, data: undefined });
  });

  it("gets no message that is not for its device", async () => {
    const { ann, ben, bot } = await newBot();
    const [[a1 = ""], [b1 = ""]] = await Promise.all([addDevices(ann), addDevices(ben)]);
    const message = { sender: a1, recipients: recipientsOf([ben, [b1]]) };
    expect((await sendJson(bot.group, ann, message, { query: "?ignore_missing=true" })).status).toBe(201);
    await rename(bot, ann, "later");

    await eventually(() => expect(namesOf(bot)).toEqual(["later"]));
  });

  it("gets a message whose parts are too large for a queue", async () => {
    const { ann, bot } = await newBot();
    const [a1 = ""] = await addDevices(ann);
    const [text, blob] = [200_000, 400_000].map((bytes) => randomBytes(bytes).toString("base64"));
    const recipients = { [bot.id]: { [bot.clientId]: text ?? "" } };
    const message = { sender: a1, recipients, data: blob };
    expect((await sendJson(bot.group, ann, message, { query: "?ignore_missing=true" })).status).toBe(201);

    await eventually(() => expect(eventsOf(bot)).toHaveLength(1));
    expect(eventsOf(bot)[0].data).toMatchObject({ text, data: blob });
  });

  it("is told of changes of its conversation, but not who is typing or what members set for themselves", async () => {
    const { ann, ben, bot } = await newBot();
    const base = `/v8/conversations/${localDomain}/${bot.group.id}`;
    const put = async (path: string, json: object) => {
      const { status } = await api("PUT", `${base}/${path}`, { token: ann.token, json });
      expect(status).toBe(200);
    };
    expect((await typing(bot, ann)).status).toBe(200);
    await put("self", { otr_archived: true });
    await put("message-timer", { message_timer: 5000 });
    await put("receipt-mode", { receipt_mode: 1 });
    await put(`members/${localDomain}/${ben.id}`, { conversation_role: "svc_member" });
    await put("name", { name: "Engines" });

    await eventually(() => expect(namesOf(bot).at(-1)).toBe("Engines"));
    expect(eventsOf(bot).map(({ type }) => type)).toEqual([
      "conversation.message-timer-update",
      "conversation.receipt-mode-update",
      "conversation.member-update",
      "conversation.rename",
    ]);
  });

  it("gets its events one after the other in their order, however long each takes", async () => {
    const { ann, bot } = await newBot();
    let open = 0;
    let atOnce = 0;
    bot.server.answer(pathOf(bot), async () => {
      atOnce = Math.max(atOnce, ++open);
      await delay(randomInt(60));
      open--;
      return {};
    });
    for (const name of numbers(15)) await rename(bot, ann, name);

    await eventually(() => expect(namesOf(bot)).toEqual(numbers(15)));
    expect(atOnce).toBe(1);
  });

  it("gets an event again that its service did not accept, and later ones only afterwards", async () => {
    const { ann, bot } = await newBot();
    bot.server.answer(pathOf(bot), { status: 500 }, { status: 503 }, {});
    for (const name of numbers(4)) await rename(bot, ann, name);

    await eventually(() => expect(namesOf(bot)).toEqual(["1", "1", "1", "2", "3", "4"]));
    await rename(bot, ann, "5");
    await eventually(() => expect(namesOf(bot).at(-1)).toBe("5"));
  });

  it("loses an event that its service fails to accept four times, but gets the next one", async () => {
    const { ann, bot } = await newBot();
    const failure = { status: 500 };
    bot.server.answer(pathOf(bot), failure, failure, failure, failure, {});
    for (const name of numbers(3)) await rename(bot, ann, name);

    await eventually(() => expect(namesOf(bot)).toEqual(["1", "1", "1", "1", "2", "3"]));
  });

  it("gets its next event as soon as its service has been changed, even after losing three", async () => {
    const { ann, bot, service } = await newBot();
    bot.server.answer(pathOf(bot), { status: 500 });
    for (const name of numbers(3)) await rename(bot, ann, name);
    await eventually(() => expect(namesOf(bot)).toEqual(["1", "1", "1", "1", "2", "3"]));
    bot.server.answer(pathOf(bot), {});
    await putConnection(await provider, service, { enabled: true });
    await rename(bot, ann, "4");

    await eventually(() => expect(namesOf(bot).at(-1)).toBe("4"));
  });

  it("loses only the event that its service refuses", async () => {
    const { ann, bot } = await newBot();
    bot.server.answer(pathOf(bot), { status: 400 }, { status: 302, headers: { location: "/elsewhere" } }, {});
    for (const name of numbers(3)) await rename(bot, ann, name);

    await eventually(() => expect(namesOf(bot)).toEqual(numbers(3)));
    expect(eventsOf(bot)).toHaveLength(3);
  });

  it("gets an event once, even if its service sends a long answer", async () => {
    const { ann, bot } = await newBot();
    bot.server.answer(pathOf(bot), { body: "x".repeat(1_000_000) });
    for (const name of numbers(2)) await rename(bot, ann, name);

    await eventually(() => expect(namesOf(bot)).toEqual(numbers(2)));
    await rename(bot, ann, "3");
    await eventually(() => expect(namesOf(bot)).toEqual(numbers(3)));
  });

  it("gets nothing while its service is switched off, and later events afterwards", async () => {
    const { ann, bot, service } = await newBot();
    const otherService = await newRunningService(await provider);
    const { server } = otherService;
    const { body: other } = await addBot(ann, bot.group, otherService);
    await putConnection(await provider, service, { enabled: false });
    await rename(bot, ann, "missed");
    await rename(bot, ann, "later");
    // Events have an order: once the other bot has got the second one, this bot would have got the first.
    await eventually(() =>
      expect(namesOf({ ...bot, id: other.id, server }).slice(-2)).toEqual(["missed", "later"]),
    );
    await putConnection(await provider, service, { enabled: true });
    await rename(bot, ann, "seen");

    await eventually(() => expect(namesOf(bot).at(-1)).toBe("seen"));
    expect(namesOf(bot)).not.toContain("missed");
  });

  it.each(["its service answers 410, if only once", "its service is gone"])(
    "leaves its conversation when %s",
    async (reason) => {
      const { ann, ben, bot, service } = await newBot();
      if (reason.includes("410")) bot.server.answer(pathOf(bot), { status: 410 }, {});
      else await beginDeletionOf(service);
      await rename(bot, ann, "Engines");

      for (const { token } of [ann, ben]) {
        const [event] = await eventually(async () => {
          const events = await storedEvents(token, "conversation.member-leave");
          expect(events).toHaveLength(1);
          return events;
        });
        expect(event).toMatchObject({ from: bot.id, data: { reason: "removed", user_ids: [bot.id] } });
      }
      const { body } = await api("GET", `/v8/conversations/${localDomain}/${bot.group.id}`, {
        token: ann.token,
      });
      expect(body.members.others.map(({ id }: { id: string }) => id)).toEqual([ben.id]);
      expect(await data.statusOf(bot.id)).toBe("deleted");
    },
  );

  it("gets its events in time while the service does not answer for another bot of it", async () => {
    const { ann, bot, service } = await newBot();
    const stuck = await newBotWith([ann], service);
    bot.server.answer(pathOf(stuck), undefined);
    for (const name of numbers(3)) await rename(stuck, ann, name);
    await eventually(() => expect(eventsOf(stuck)).toHaveLength(1));

    await oneSoonerThan(5, numbers(3), async (name) => {
      await rename(bot, ann, name);
      await eventually(() => expect(namesOf(bot).at(-1)).toBe(name));
    });
  });

  it("gets every event once and in order when its service takes seconds for some", async () => {
    const { ann, bot } = await newBot();
    const slowly = (milliseconds: number) => () => delay(milliseconds).then(() => ({}));
    bot.server.answer(pathOf(bot), slowly(1500), slowly(0), slowly(1200), slowly(0));
    for (const name of numbers(3)) await rename(bot, ann, name);
    await eventually(() => expect(namesOf(bot)).toEqual(numbers(3)));
    for (const name of ["4", "5", "6"]) await rename(bot, ann, name);

    await eventually(() => expect(namesOf(bot)).toEqual(numbers(6)));
  });

  it("gets its events in time while sixty others get no answer, even if its own answers are slow", async () => {
    const { ann, bot, service } = await newBot();
    const slow = await newBotWith([ann], service);
    slow.server.answer(pathOf(slow), () => delay(1200).then(() => ({})));
    const stuck = await newStuckGroup(ann, service, 60);
    await rename(slow, ann, "1");
    await rename(stuck, ann, "stuck");
    await eventually(() => {
      for (const { id } of stuck.bots)
        expect(service.server.callsOf(pathOf({ id })).length).toBeGreaterThan(1);
    });
    await rename(stuck, ann, "stuck again");

    await oneSoonerThan(5, numbers(4).slice(1), async (name) => {
      await Promise.all([bot, slow].map((one) => rename(one, ann, name)));
      await eventually(() => expect([bot, slow].map((one) => namesOf(one).at(-1))).toEqual([name, name]));
    });
    expect(namesOf(slow)).toEqual(numbers(namesOf(slow).length));
  });
});

describe.concurrent("a removed bot", () => {
  it("gets the event of its removal, and nothing later", async () => {
    const { ann, bot } = await newBot();
    expect((await removeBot(ann, bot.group, bot.id)).status).toBe(200);
    await eventually(() => expect(eventsOf(bot)).toHaveLength(1));
    expect(eventsOf(bot)[0]).toMatchObject({ type: "conversation.member-leave", from: ann.id });
  });
});
