import { randomUUID } from "node:crypto";
import { describe, expect, it, type TestContext } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { LogWriter } from "#shared/events/log-writer.ts";
import { streams } from "#shared/events/notification.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { createLog } from "#shared/platform/log.ts";
import { commit } from "#shared/platform/messaging/change.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { eventSource, numbered, upTo } from "../../../test/support/events.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { stackConfig } from "../../../test/support/stack-config.ts";
import { OwnEvents } from "./own-events.ts";

const config = stackConfig("test");
const log = createLog("test", "CRITICAL");
const clock = systemClock;
const { store: notifications, numbersIn, countIn } = eventSource();
const dynamo = createDynamo();
const deps = {
  log,
  events: new EventPublisher({ outbox: new Outbox({ config, clock, log }), clock }),
  logWriter: new LogWriter({ notifications, log }),
};

/** Delay the first read of a log. @returns a function that lets it go on */
function delayRead({ onTestFinished }: TestContext, stream: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isDelayed = false;
  const end = interceptAwsCalls(async ({ action, body }, send) => {
    if (!isDelayed && action === "Query" && body.includes(stream)) {
      isDelayed = true;
      await promise;
    }
    return send();
  });
  onTestFinished(() => {
    end();
    resolve();
  });
  return resolve;
}

describe.concurrent("events that their sender stores", () => {
  it("become one notification, in order", async () => {
    const userId = randomUUID();
    const own = new OwnEvents(deps);
    const messages = upTo(3).flatMap((number) => own.toSelf({ userId }, numbered, { number }));
    await commit(dynamo, { messages });
    await own.store();
    expect(await numbersIn(streams.user(userId))).toEqual([1, 2, 3]);
    expect(await countIn(streams.user(userId))).toBe(1);
  });

  it("are stored once, without keeping the sender waiting", async (context) => {
    const userId = randomUUID();
    const stream = streams.user(userId);
    const release = delayRead(context, stream);
    const own = new OwnEvents(deps, { patienceMilliseconds: 1 });
    await commit(dynamo, { messages: own.toSelf({ userId }, numbered, { number: 1 }) });
    await own.store();
    expect(await countIn(stream)).toBe(0);
    release();
    await eventually(async () => expect(await numbersIn(stream)).toEqual([1]));
  });

  it("are left to the workers if one of them is too large for the log", async () => {
    const userId = randomUUID();
    const own = new OwnEvents(deps);
    const messages = [
      ...own.toSelf({ userId }, numbered, { number: 1 }),
      ...own.toSelf({ userId }, numbered, { number: 2, padding: "x".repeat(20_000) }),
    ];
    await commit(dynamo, { messages });
    await own.store();
    expect(await countIn(streams.user(userId))).toBe(0);
  });
});
