import { randomUUID } from "node:crypto";
import type { SendMessageBatchCommand } from "@aws-sdk/client-sqs";
import { expect, it } from "vitest";
import { eventMessage } from "#shared/events/event-message.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { Audiences } from "./audiences.ts";
import type { Deps } from "./deps.ts";
import { sendDeliveries } from "./send-deliveries.ts";
import { sendToBots } from "./send-in-order.ts";
import { toDeliveries } from "./to-deliveries.ts";

/** Divide an event and send the parts. @returns bodies of the messages by queue */
async function forward(message: unknown) {
  const bodies: Record<string, unknown[]> = {};
  const sqs = {
    send: async ({ input: { QueueUrl = "", Entries = [] } }: SendMessageBatchCommand) => {
      const ofQueue = Entries.map(({ MessageBody = "" }) => JSON.parse(MessageBody));
      bodies[QueueUrl] = [...(bodies[QueueUrl] ?? []), ...ofQueue];
      return {};
    },
  };
  const deps = {
    settings: parseSettings({}),
    config: { queueUrl: (name: string) => name },
    notifications: { putPayloads: async () => {} },
    sqs,
  } as unknown as Deps;
  const event = eventMessage.parse(message);
  const divided = await toDeliveries({ ...deps, audiences: new Audiences(deps) }, event, {
    isRepeated: false,
  });
  await sendDeliveries(deps, new Map([...divided.byShard].map(([shard, delivery]) => [shard, [delivery]])));
  await sendToBots(deps, divided.forBots);
  return bodies;
}

it("dividing an event keeps fields of a newer version in it and in its recipients", async () => {
  const service = { id: randomUUID(), provider: randomUUID(), tier: "gold" };
  const [userId, botId] = [randomUUID(), randomUUID()];
  const bodies = await forward({
    eventId: randomUUID(),
    event: { type: "user.update", user: {} },
    recipients: [
      { userId, clientIds: ["a1"], mood: "good", overlay: { key: "value" } },
      { userId: botId, service, mood: "bad" },
    ],
    isTransient: false,
    hasOwnViews: false,
    origin: { userId, connectionId: "c", via: "relay" },
    push: { priority: "high", sound: "bell" },
    source: { group: "g", weight: 3 },
    committedAt: Date.now(),
    region: "north",
  });
  expect(bodies).toEqual({
    deliveries: [
      {
        deliveries: [
          expect.objectContaining({
            region: "north",
            origin: { userId, connectionId: "c", via: "relay" },
            push: { priority: "high", sound: "bell" },
            source: { group: "g", weight: 3 },
            recipients: [expect.objectContaining({ userId, mood: "good" })],
          }),
        ],
      },
    ],
    "bot-events": [expect.objectContaining({ botId, region: "north", service })],
  });
});
