import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Config } from "#shared/platform/config.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import type { Webhook } from "./webhook.ts";
import { WebhookStore } from "./webhook-store.ts";

const dynamo = createDynamo();

/** A webhook with a waiting event. */
async function newWebhook() {
  const config = { tableName: (name: string) => `test-${name}`, settings: parseSettings({}) } as Config;
  const time = { now: Date.UTC(2026, 0, 31, 12) };
  const store = new WebhookStore({ dynamo, config, clock: () => time.now });
  const teamId = randomUUID();
  const webhook: Webhook = {
    webhookId: randomUUID(),
    chain: `team-${teamId}`,
    teamId,
    url: "https://hooks.example.com/",
    kinds: ["team.*"],
    status: "active",
    createdAt: new Date(time.now).toISOString(),
    secretVersion: 1,
    collectedUpTo: new Date(time.now).toISOString(),
    settledUpTo: new Date(time.now).toISOString(),
    waiting: 1,
    failures: 0,
  };
  await transact(dynamo, store.create(webhook));
  const lease = () => ({ token: randomUUID(), milliseconds: 15_000 });
  return { store, webhook, time, lease, nudge: () => store.noteNudge(webhook) };
}

describe("a message that something waits for a webhook", () => {
  it("is sent once, by one of several concurrent runs", async () => {
    const { nudge } = await newWebhook();
    const answers = await Promise.all(Array.from({ length: 5 }, nudge));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await nudge()).toBe(false);
  });

  it("is not sent while a run sends to the webhook, but again afterwards", async () => {
    const { store, webhook, lease, nudge } = await newWebhook();
    await nudge();
    const own = lease();
    expect(await store.lease(webhook, own)).not.toHaveProperty("nudgedAt");
    expect(await nudge()).toBe(false);
    await store.release(webhook, own, false);
    expect(await nudge()).toBe(true);
  });

  it("counts as sent when a run ends with events left", async () => {
    const { store, webhook, lease, nudge } = await newWebhook();
    const own = lease();
    await store.lease(webhook, own);
    expect(await store.release(webhook, own, true)).toBe(true);
    expect(await nudge()).toBe(false);
    expect(await store.release(webhook, own, true)).toBe(false);
  });

  it("is sent again if it was not received within two minutes, or could not be sent", async () => {
    const { store, webhook, time, nudge } = await newWebhook();
    await nudge();
    time.now += 119_000;
    expect(await nudge()).toBe(false);
    time.now += 1000;
    expect(await nudge()).toBe(true);
    await store.forgetNudge(webhook);
    expect(await nudge()).toBe(true);
  });

  it("is not sent for a webhook that is off, but again once it is on", async () => {
    const { store, webhook, nudge } = await newWebhook();
    await nudge();
    await transact(dynamo, [store.change(webhook, { status: "off" })]);
    expect(await nudge()).toBe(false);
    await transact(dynamo, [store.change(webhook, { status: "active" })]);
    expect(await nudge()).toBe(true);
  });
});
