import { beforeAll, describe, expect, it } from "vitest";
import { relayLifeMilliseconds } from "#shared/events/sockets/relay-store.ts";
import { outcome } from "../../support/api.ts";
import { connectUsers } from "../../support/connections.ts";
import { createConversation } from "../../support/conversations.ts";
import { registerDevice } from "../../support/devices.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { type Death, dyingAt } from "../../support/kills/kills.ts";
import { messagesTo, nextMessage } from "../../support/messages.ts";
import { newDataFolder, startOwnRunner } from "../../support/own-runner.ts";
import type { Runner } from "../../support/runner.ts";
import { openSocket } from "../../support/socket.ts";
import { logIn, newEmail, register, registeredUser, somePassword } from "../../support/users.ts";

const email = newEmail();
const toDeliveries = { action: "SendMessageBatch", mentions: ["-deliveries", "conversation.delete"] };
/** The process dies when a mail is committed but not queued, and an event is in no place but the queue `deliveries`. */
const death: Death = {
  since: toDeliveries,
  action: "BatchWriteItem",
  mentions: ["DeleteRequest", "events#"],
  isAfterwards: true,
  stuck: [
    { since: { action: "TransactWriteItems", mentions: email }, action: "SendMessage", mentions: "-mail" },
    { since: toDeliveries, action: "BatchExecuteStatement" },
  ],
};

describe("npm start, after its process has died,", () => {
  let restarted: Runner;
  let guest: { token: string };
  let group: unknown;
  let device: Parameters<typeof openSocket>[1];

  beforeAll(async () => {
    const folder = newDataFolder();
    const runner = await startOwnRunner(folder, { environment: dyingAt(death), module: "kills/die-at.ts" });
    const { publicApi } = runner;
    const team = { name: "Engines", icon: "default", binding: true };
    const [founder, other] = await Promise.all([
      registeredUser({ team }, runner),
      registeredUser({}, runner),
    ]);
    guest = other;
    await connectUsers(founder, other, runner);
    const { token, password } = founder;
    const { body: self } = await publicApi("GET", "/self", { token });
    const created = await createConversation(founder, { with: [other], in: { id: self.team } }, runner);
    group = created.body.qualified_id;
    const capabilities = ["consumable-notifications"];
    const { body } = await registerDevice(other, { capabilities }, runner);
    device = { token: other.token, query: { client: body.id } };
    const socket = await openSocket("/v9/events", device, runner);
    await socket.next(({ type }) => type === "event");

    register({ email, password: somePassword }, runner).catch(() => undefined);
    await eventually(async () => {
      const path = `/i/users/activation-code?${new URLSearchParams({ email })}`;
      expect(outcome(await runner.internalApi("GET", path))).toBe("200");
    });
    const deleted = await publicApi("DELETE", `/teams/${self.team}`, { token, json: { password } });
    expect(outcome(deleted)).toBe("202");
    await runner.ended;
    restarted = await startOwnRunner(folder);
  });

  it("sends the mail of a registration that was committed but not queued, once", async () => {
    const { headers } = await nextMessage(email, restarted);
    expect(headers["X-Svc-Purpose"]).toBe("Activation");
    const { "X-Svc-Key": key, "X-Svc-Code": code } = headers;
    const activated = await restarted.publicApi("POST", "/activate", { json: { key, code } });
    expect(activated.body).toEqual({ email, first: true });
    expect((await logIn({ email, password: somePassword }, { apis: restarted })).status).toBe(200);

    // Anything that the sweeper sent twice would come before the mail of a later request.
    const later = newEmail();
    await register({ email: later }, restarted);
    await nextMessage(later, restarted);
    expect(await messagesTo(email, restarted)).toHaveLength(1);
  });

  it("tells a guest that the conversation of a deleted team is gone, although only a queue knew", async () => {
    await eventually(async () => {
      const events = await storedEvents(guest.token, "conversation.delete", restarted.publicApi);
      expect(events).toMatchObject([{ qualified_conversation: group }]);
    });
  });

  it("gives the queue of a device that was connected to /events to its next socket", async () => {
    const openedAt = Date.now();
    const socket = await openSocket("/v9/events", device, restarted);
    await socket.next(({ type }) => type === "event");
    expect(Date.now() - openedAt).toBeLessThan(relayLifeMilliseconds);
    socket.send("nonsense");
    expect(await socket.closed).toEqual({ code: 1003, reason: "failed-to-parse" });
  });
});
