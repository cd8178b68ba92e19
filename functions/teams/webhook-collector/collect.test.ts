import { randomInt, randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { hourOf, partOf } from "#shared/platform/audit/audit-record.ts";
import { AuditStore } from "#shared/platform/audit/audit-store.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { Table } from "#shared/platform/data/table.ts";
import type { Log } from "#shared/platform/log.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { messageIdOf, type Webhook } from "#shared/teams/webhooks/webhook.ts";
import { WebhookStore } from "#shared/teams/webhooks/webhook-store.ts";
import { injectFaults } from "../../../test/support/faults.ts";
import { stackConfig } from "../../../test/support/stack-config.ts";
import { collect } from "./collect.ts";
import type { Deps } from "./deps.ts";
import { addLate } from "./handler.ts";

const dynamo = createDynamo();
const minute = 60_000;
const toTime = (milliseconds: number) => new Date(milliseconds).toISOString();
const newTeams = (number: number) => Array.from({ length: number }, () => `team-${randomUUID()}`);

interface Options {
  readonly chain?: string;
  readonly settings?: object;
  /** Items as an older version has stored them. */
  readonly stored?: Partial<Webhook>;
}

/** A webhook, from the start of an hour that no other test uses, with its collector, its receiver and the trail. */
async function newWebhook({ chain = "installation", settings = {}, stored = {} }: Options = {}) {
  const start = Date.UTC(2031 + randomInt(900), 0, 1, randomInt(8000));
  const time = { now: start };
  const config = {
    ...stackConfig("test"),
    settings: parseSettings({ webhooks: { maxPerOwner: 50, ...settings } }),
  };
  const context = { dynamo, config, clock: () => time.now };
  const webhooks = new WebhookStore(context);
  const trail = new Table(context, "audit");
  const log = { warn: () => undefined } as unknown as Log;
  const deps = {
    ...context,
    settings: config.settings,
    log,
    webhooks,
    audit: new AuditStore(context),
  } as unknown as Deps;
  const webhook: Webhook = {
    webhookId: randomUUID(),
    chain,
    url: "https://hooks.example.com/",
    kinds: ["team.*"],
    status: "active",
    createdAt: toTime(start),
    secretVersion: 1,
    collectedUpTo: toTime(start),
    checkedUpTo: toTime(start),
    settledUpTo: toTime(start),
    waiting: 0,
    failures: 0,
    ...stored,
  };
  await transact(dynamo, webhooks.create(webhook));
  const show = async () => (await webhooks.get(webhook)) as Webhook;

  return {
    start,
    time,
    show,
    webhooks,
    /** Commit changes of a chain. @returns their message ids */
    async commit(owner: string, times: readonly number[], event = "team.changed"): Promise<string[]> {
      const items = times.map((each) => {
        const [at, id] = [toTime(each), randomUUID()];
        const record = { time: at, event, operation: "update-team", actor: { kind: "user" }, target: {} };
        return { part: partOf(hourOf(each), owner), entry: `${owner}#${at}#${id}`, ...record };
      });
      await trail.putMany(items);
      return items.map(({ entry }) => messageIdOf(entry.slice(owner.length + 1)));
    },
    /** Runs the collector for a webhook at a time. */
    async run(now = time.now, isTimeUp = () => false): Promise<void> {
      time.now = now;
      await addLate(deps, await collect(deps, await show(), isTimeUp), isTimeUp);
    },
    /** Take all waiting events. @returns message ids */
    async receive(): Promise<string[]> {
      const lease = { token: randomUUID(), milliseconds: minute };
      const leased = await webhooks.lease(webhook, lease);
      const received: string[] = [];
      if (leased === undefined) return received;
      for await (const delivery of webhooks.waiting(leased)) {
        const attempt = { isDelivered: true, milliseconds: 1, answer: 200 };
        expect(await webhooks.noteDelivered(leased, lease, delivery, attempt, true)).toBe(true);
        received.push(messageIdOf(delivery.place));
      }
      await webhooks.release(webhook, lease, false);
      return received;
    },
  };
}

/** Count calls that read or write. */
function countCalls(): () => Record<string, number> {
  const calls: Record<string, number> = {};
  const end = injectFaults(({ action }) => {
    calls[action] = (calls[action] ?? 0) + 1;
    return undefined;
  });
  onTestFinished(end);
  return () => {
    end();
    return calls;
  };
}

describe("the collector of a webhook", () => {
  it("adds each event once and in order while others are committed, and late ones after the later ones", async () => {
    const { start, time, commit, run, receive } = await newWebhook();
    const chains = [...newTeams(9), "installation", "people-a", "people-0"];
    const due: { at: number; time: number; chain: string }[] = [];
    for (let index = 0; index < 250; index++) {
      const at = start + randomInt(85 * minute);
      // A request takes some seconds, and one in ten clocks is wrong by minutes.
      const takes = index % 10 === 0 ? 30_000 + randomInt(8 * minute) : randomInt(15_000);
      due.push({ time: at, at: at + takes, chain: chains[index % chains.length] ?? "" });
    }
    due.sort((one, other) => one.at - other.at);
    const [onTime, late]: [{ id: string; time: number }[], string[]] = [[], []];
    const received: string[] = [];
    for (let now = start; now < start + 125 * minute; now += minute) {
      const committing = due.splice(0, due.filter(({ at }) => at < now + minute).length);
      const all = committing.map(async ({ time: changed, at, chain }) => {
        const [id = ""] = await commit(chain, [changed]);
        if (at - changed < 20_000) onTime.push({ id, time: changed });
        else late.push(id);
      });
      // Some are committed while it collects: these are not older than what it leaves alone.
      time.now = now;
      await Promise.all([
        ...all.slice(0, -2),
        run(now),
        run(now),
        receive().then((ids) => received.push(...ids)),
      ]);
      await Promise.all(all);
    }
    received.push(...(await receive()));

    const order = onTime.toSorted((one, other) => one.time - other.time).map(({ id }) => id);
    expect(received.toSorted()).toEqual([...order, ...late].toSorted());
    expect(received.filter((id) => order.includes(id))).toEqual(order);
  });

  it("reads little more than the new events, even in a full hour with many chains of others", async () => {
    const { start, commit, run, receive, show } = await newWebhook();
    const chains = newTeams(32);
    for (const chain of chains)
      await commit(
        chain,
        Array.from({ length: 100 }, (_, index) => start + index * 1000),
        "device.added",
      );
    await run(start + 10 * minute);
    const ids = await commit(
      chains[7] ?? "",
      Array.from({ length: 100 }, (_, index) => start + 10 * minute + index),
    );
    const end = countCalls();
    await run(start + 11 * minute);
    expect(end().Query).toBeLessThan(32 + 16 + 12);
    expect((await show()).waiting).toBe(100);
    expect(await receive()).toEqual(ids);
  });

  it("continues in the next run when time is up, or when enough events wait for the receiver", async () => {
    const { start, commit, run, receive, show } = await newWebhook({ settings: { maxWaiting: 100 } });
    const ids: string[] = [];
    for (const chain of newTeams(5))
      ids.push(
        ...(await commit(
          chain,
          Array.from({ length: 70 }, (_, index) => start + index * 7 + randomInt(7)),
        )),
      );
    let calls = 0;
    await run(start + 5 * minute, () => calls++ > 2);
    const received: string[] = [];
    for (let count = 0; count < 6; count++) {
      await run(start + 5 * minute);
      expect((await show()).waiting).toBeLessThanOrEqual(100);
      received.push(...(await receive()));
    }
    expect(received.toSorted()).toEqual(ids.toSorted());
  });

  it("continues from the state of an older version, without taking events for late ones", async () => {
    const chain = newTeams(1)[0] ?? "";
    const { start, commit, run, receive, show } = await newWebhook({
      chain,
      stored: { checkedUpTo: undefined },
    });
    await commit(chain, [start - 1000]);
    const ids = await commit(chain, [start + 1000, start + 2000]);
    for (const passed of [1, 61, 90, 130]) await run(start + passed * minute);
    expect(await receive()).toEqual(ids);
    expect(await show()).toMatchObject({ checkedUpTo: expect.any(String) });
  });

  it("does not count events as late that were not subscribed to, or happened while the webhook was off", async () => {
    const chain = newTeams(1)[0] ?? "";
    const { start, commit, run, receive, show, webhooks } = await newWebhook({ chain });
    await commit(chain, [start + 1000], "device.added");
    await run(start + 5 * minute);
    const now = toTime(start + 5 * minute);
    const kinds = { kinds: ["team.*", "device.*"], checkedUpTo: now, collectedUpTo: now };
    await transact(dynamo, [webhooks.change(await show(), kinds)]);
    for (const passed of [30, 61, 90]) await run(start + passed * minute);
    expect(await receive()).toEqual([]);
  });
});
