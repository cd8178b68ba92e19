import { randomBytes, randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { api } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { type LegalHoldService, startLegalHoldService } from "../../support/legal-hold-service.ts";
import { addDevices, recipientsOf, sendJson, textFor } from "../../support/otr-messages.ts";
import { botData, type SeededBot } from "../../support/seeded-bots.ts";
import { newUser, type User } from "../../support/users.ts";

const data = botData();

const running: LegalHoldService[] = [];
afterAll(() => {
  for (const service of running) service.stop();
});

/** A service on loopback with a bot in a group of two users. */
async function newBot() {
  const [ann, ben, service] = await Promise.all([newUser(), newUser(), startLegalHoldService()]);
  running.push(service);
  const stored = await data.newService(service);
  const bot = await data.newGroupWithBot([ann, ben], stored);
  return { ann, ben, bot, service, stored };
}

const pathOf = ({ id }: Pick<SeededBot, "id">) => `/bots/${id}/messages`;
const bodiesOf = (service: LegalHoldService, bot: Pick<SeededBot, "id">) =>
  service.callsOf(pathOf(bot)).map(({ body }) => body);
/** Names that a bot was told, in the order of its calls. */
const namesOf = (service: LegalHoldService, bot: Pick<SeededBot, "id">) =>
  bodiesOf(service, bot).map((body) => body.data.name);

async function rename({ group }: SeededBot, { token }: Pick<User, "token">, name: string) {
  const { status } = await api("PUT", `/conversations/${group.id}/name`, { token, json: { name } });
  expect(status).toBe(200);
}

const typing = ({ group }: SeededBot, { token }: Pick<User, "token">) =>
  api("POST", `/v8/conversations/${localDomain}/${group.id}/typing`, { token, json: { status: "started" } });

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));

describe.concurrent("a bot", () => {
  it("gets a message for its device in one call, as other devices see it", async () => {
    const { ann, ben, bot, service } = await newBot();
    const [[a1 = ""], [b1 = ""]] = await Promise.all([addDevices(ann), addDevices(ben)]);
    const recipients = recipientsOf([ben, [b1]], [{ id: bot.id }, [bot.clientId]]);
    const { status } = await sendJson(bot.group, ann, { sender: a1, recipients, data: "YWxs" });
    expect(status).toBe(201);

    await eventually(() => expect(service.callsOf(pathOf(bot))).toHaveLength(1));
    const [call] = service.calls;
    expect(call).toMatchObject({ method: "POST", authorization: `Bearer ${service.authToken}` });
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
    const { ann, ben, bot, service } = await newBot();
    const [[a1 = ""], [b1 = ""]] = await Promise.all([addDevices(ann), addDevices(ben)]);
    const message = { sender: a1, recipients: recipientsOf([ben, [b1]]) };
    expect((await sendJson(bot.group, ann, message, { query: "?ignore_missing=true" })).status).toBe(201);
    await rename(bot, ann, "later");

    await eventually(() => expect(namesOf(service, bot)).toEqual(["later"]));
  });

  it("gets a message whose parts are too large for a queue", async () => {
    const { ann, bot, service } = await newBot();
    const [a1 = ""] = await addDevices(ann);
    const [text, blob] = [200_000, 400_000].map((bytes) => randomBytes(bytes).toString("base64"));
    const recipients = { [bot.id]: { [bot.clientId]: text ?? "" } };
    const message = { sender: a1, recipients, data: blob };
    expect((await sendJson(bot.group, ann, message, { query: "?ignore_missing=true" })).status).toBe(201);

    await eventually(() => expect(service.callsOf(pathOf(bot))).toHaveLength(1));
    expect(service.calls[0]?.body.data).toMatchObject({ text, data: blob });
  });

  it("is told of changes of its conversation, but not who is typing or what members set for themselves", async () => {
    const { ann, bot, service } = await newBot();
    const base = `/v8/conversations/${localDomain}/${bot.group.id}`;
    const put = async (path: string, json: object) => {
      const { status } = await api("PUT", `${base}/${path}`, { token: ann.token, json });
      expect(status).toBe(200);
    };
    expect((await typing(bot, ann)).status).toBe(200);
    await put("self", { otr_archived: true });
    await put("message-timer", { message_timer: 5000 });
    await put("receipt-mode", { receipt_mode: 1 });
    await put("name", { name: "Engines" });

    await eventually(() => expect(namesOf(service, bot).at(-1)).toBe("Engines"));
    expect(bodiesOf(service, bot).map(({ type }) => type)).toEqual([
      "conversation.message-timer-update",
      "conversation.receipt-mode-update",
      "conversation.rename",
    ]);
  });

  it("gets its events one after the other in their order, however long each takes", async () => {
    const { ann, bot, service } = await newBot();
    let open = 0;
    let atOnce = 0;
    service.answer(pathOf(bot), async () => {
      atOnce = Math.max(atOnce, ++open);
      await delay(randomInt(60));
      open--;
      return {};
    });
    for (const name of numbers(15)) await rename(bot, ann, name);

    await eventually(() => expect(namesOf(service, bot)).toEqual(numbers(15)));
    expect(atOnce).toBe(1);
  });

  it("gets an event that its service does not take again, and later ones only after it", async () => {
    const { ann, bot, service } = await newBot();
    service.answer(pathOf(bot), { status: 500 }, { status: 503 }, {});
    for (const name of numbers(4)) await rename(bot, ann, name);

    await eventually(() => expect(namesOf(service, bot)).toEqual(["1", "1", "1", "2", "3", "4"]));
    await rename(bot, ann, "5");
    await eventually(() => expect(namesOf(service, bot).at(-1)).toBe("5"));
  });

  it("loses an event that its service fails to take four times, but gets the next", async () => {
    const { ann, bot, service } = await newBot();
    const failure = { status: 500 };
    service.answer(pathOf(bot), failure, failure, failure, failure, {});
    for (const name of numbers(3)) await rename(bot, ann, name);

    await eventually(() => expect(namesOf(service, bot)).toEqual(["1", "1", "1", "1", "2", "3"]));
  });

  it("loses only the event that its service refuses", async () => {
    const { ann, bot, service } = await newBot();
    service.answer(pathOf(bot), { status: 400 }, { status: 302, headers: { location: "/elsewhere" } }, {});
    for (const name of numbers(3)) await rename(bot, ann, name);

    await eventually(() => expect(namesOf(service, bot)).toEqual(numbers(3)));
    expect(service.calls).toHaveLength(3);
  });

  it("gets nothing while its service is switched off, and later events afterwards", async () => {
    const { ann, bot, service, stored } = await newBot();
    await data.changeService(stored, { isEnabled: false });
    await rename(bot, ann, "missed");
    // The group's events have an order: once the user has got one, the bot would have, too.
    await eventually(async () =>
      expect(await storedEvents(ann.token, "conversation.rename")).toHaveLength(1),
    );
    await delay(500);
    await data.changeService(stored, { isEnabled: true });
    await rename(bot, ann, "seen");

    await eventually(() => expect(namesOf(service, bot)).toEqual(["seen"]));
  });

  it.each(["its service answers 410", "its service is gone"])(
    "leaves its conversation when %s",
    async (reason) => {
      const { ann, ben, bot, service, stored } = await newBot();
      if (reason.endsWith("410")) service.answer(pathOf(bot), { status: 410 });
      else await data.changeService(stored, { isBeingDeleted: true });
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
      expect(await data.isStored(bot)).toBe(false);
    },
  );

  it("gets its events in time while the service does not answer for another bot of it", async () => {
    const { ann, bot, service, stored } = await newBot();
    const stuck = await data.newGroupWithBot([ann], stored);
    service.answer(pathOf(stuck), undefined);
    for (const name of numbers(3)) await rename(stuck, ann, name);
    await eventually(() => expect(service.callsOf(pathOf(stuck))).toHaveLength(1));

    const startedAt = performance.now();
    await rename(bot, ann, "prompt");
    await eventually(() => expect(namesOf(service, bot)).toEqual(["prompt"]));
    expect(performance.now() - startedAt).toBeLessThan(4000);
    expect(service.callsOf(pathOf(stuck))).toHaveLength(1);
  });

  it("gets every event once and in order when its service takes seconds for some", async () => {
    const { ann, bot, service } = await newBot();
    const slowly = (milliseconds: number) => () => delay(milliseconds).then(() => ({}));
    service.answer(pathOf(bot), slowly(1500), slowly(0), slowly(1200), slowly(0));
    for (const name of numbers(3)) await rename(bot, ann, name);
    await eventually(() => expect(namesOf(service, bot)).toEqual(numbers(3)));
    for (const name of ["4", "5", "6"]) await rename(bot, ann, name);

    await eventually(() => expect(namesOf(service, bot)).toEqual(numbers(6)));
  });
});
