import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { api } from "../../support/api.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { type LegalHoldService, startLegalHoldService } from "../../support/legal-hold-service.ts";
import { addDevices, recipientsOf, sendJson, textFor } from "../../support/otr-messages.ts";
import { botData, type SeededBot } from "../../support/seeded-bots.ts";
import { newUser, type User } from "../../support/users.ts";

const data = botData();

/** A service on loopback with a bot in a group of two users. */
async function newBot() {
  const [ann, ben, service] = await Promise.all([newUser(), newUser(), startLegalHoldService()]);
  onTestFinished(() => service.stop());
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
  api("POST", `/conversations/${group.id}/typing`, { token, json: { status: "started" } });

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
    const [event] = await storedEvents(ben, "conversation.otr-message-add");
    expect({ ...call?.body, data: undefined }).toEqual({ ...event, data: undefined });
  });
});
