import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { relayLifeMilliseconds } from "#shared/events/sockets/relay-store.ts";
import { outcome } from "../../support/api.ts";
import { connectUsers } from "../../support/connections.ts";
import { createConversation } from "../../support/conversations.ts";
import { registerDevice } from "../../support/devices.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { messagesTo, nextMessage } from "../../support/messages.ts";
import { newDataFolder, startOwnRunner } from "../../support/own-runner.ts";
import type { Runner } from "../../support/runner.ts";
import { openSocket } from "../../support/socket.ts";
import { logIn, newEmail, register, registeredUser, somePassword } from "../../support/users.ts";

const cleanups: (() => unknown)[] = [];
afterAll(() => Promise.all(cleanups.map((cleanup) => cleanup())));

describe.concurrent("a process that dies", () => {
  it("does not lose the mail of a registration that is committed but not yet queued", async () => {
    const folder = newDataFolder();
    const email = newEmail();
    let runner: Runner | undefined;
    // Acts as a queue until a message is sent to it, which kills the sender.
    const queue = await startQueue(() => runner?.process.kill("SIGKILL"));
    runner = await startOwnRunner(folder, { environment: { AWS_ENDPOINT_URL_SQS: queue } });
    await expect(register({ email, password: somePassword }, runner)).rejects.toThrow();
    await runner.kill();

    const restarted = await startOwnRunner(folder);
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
});

describe.concurrent("a process that dies while an event is only in a queue", () => {
  it("tells a guest after the restart that the conversation of a deleted team is gone", async () => {
    const folder = newDataFolder();
    const runner = await startOwnRunner(folder, {
      environment: { DIE_WITH_DELIVERY_OF: "conversation.delete" },
      module: "die-with-deliveries.ts",
    });
    const [founder, guest] = await Promise.all([
      registeredUser({ team: { name: "Engines", icon: "default", binding: true } }, runner),
      registeredUser({}, runner),
    ]);
    await connectUsers(founder, guest, runner);
    const { body: self } = await runner.publicApi("GET", "/self", { token: founder.token });
    const created = await createConversation(founder, { with: [guest], in: { id: self.team } }, runner);
    expect(outcome(created)).toBe("201");
    const { token, password } = founder;
    const deleted = await runner.publicApi("DELETE", `/teams/${self.team}`, { token, json: { password } });
    expect(outcome(deleted)).toBe("202");
    await runner.ended;

    const restarted = await startOwnRunner(folder);
    await eventually(async () => {
      expect(await storedEvents(guest.token, "conversation.delete", restarted.publicApi)).toMatchObject([
        { qualified_conversation: created.body.qualified_id },
      ]);
    });
  });
});

describe.concurrent("a process that dies while a device has a socket on /events", () => {
  it("lets the next socket have the device's queue soon after the restart", async () => {
    const folder = newDataFolder();
    const runner = await startOwnRunner(folder);
    const { token } = await registeredUser({}, runner);
    const device = await registerDevice({ token }, { capabilities: ["consumable-notifications"] }, runner);
    const request = { token, query: { client: device.body.id } };
    const before = await openSocket("/v9/events", request, runner);
    await before.next(({ type }) => type === "event");
    await runner.kill();

    const restarted = await startOwnRunner(folder);
    const openedAt = Date.now();
    const after = await openSocket("/v9/events", request, restarted);
    await after.next(({ type }) => type === "event");
    expect(Date.now() - openedAt).toBeLessThan(relayLifeMilliseconds);
    after.send("nonsense");
    expect(await after.closed).toEqual({ code: 1003, reason: "failed-to-parse" });
  });
});

/** A queue service that knows every queue and keeps nothing. Returns its address. */
async function startQueue(onSend: () => void): Promise<string> {
  const server: Server = createServer((request, response) => {
    const action = String(request.headers["x-amz-target"]).replace("AmazonSQS.", "");
    if (action === "SendMessage") onSend();
    // A long poll stays open.
    if (action === "ReceiveMessage" || action === "SendMessage") return;
    response.setHeader("content-type", "application/x-amz-json-1.0");
    response.end(
      JSON.stringify({
        QueueUrl: `${url()}/000000000000/queue`,
        Attributes: { QueueArn: "arn:aws:sqs:x:0:queue" },
      }),
    );
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return url();
}
