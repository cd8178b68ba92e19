import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { stackConfig } from "../../test/support/stack-config.ts";
import { ToldTimes } from "./told-times.ts";

const store = new ToldTimes({ dynamo: createDynamo(), config: stackConfig("test"), clock: systemClock });

/** Takes the next times of a conversation for new events. */
const told = {
  take: (id: string, times: readonly number[]) =>
    store.take(
      id,
      times.map((time) => ({ eventId: randomUUID(), time })),
    ),
};

describe.concurrent("times of the events of a conversation", () => {
  it("stay as they are when each is later than the one before", async () => {
    const id = randomUUID();
    expect(await told.take(id, [1000, 1005])).toEqual([1000, 1005]);
    expect(await told.take(id, [1006])).toEqual([1006]);
  });

  it("are a millisecond later than the one before when they would not be later", async () => {
    const id = randomUUID();
    expect(await told.take(id, [1000, 1000, 999])).toEqual([1000, 1001, 1002]);
    expect(await told.take(id, [1002, 1003, 2000])).toEqual([1003, 1004, 2000]);
  });

  it("are given once, even if many runs take them at the same time", async () => {
    const id = randomUUID();
    const taken = await Promise.all(Array.from({ length: 5 }, () => told.take(id, [1000, 1000])));
    expect(taken.flat().toSorted()).toEqual(Array.from({ length: 10 }, (_, index) => 1000 + index));
  });

  it("do not depend on those of another conversation", async () => {
    expect(await told.take(randomUUID(), [1000])).toEqual([1000]);
    expect(await told.take(randomUUID(), [1000])).toEqual([1000]);
  });

  it("are the same when a run takes them again, and others come later", async () => {
    const id = randomUUID();
    const [first, second, third] = [1000, 1000, 1000].map((time) => ({ eventId: randomUUID(), time }));
    if (first === undefined || second === undefined || third === undefined) throw new Error("No events");
    expect(await store.take(id, [first, second])).toEqual([1000, 1001]);
    expect(await store.take(id, [first, second])).toEqual([1000, 1001]);
    expect(await store.take(id, [first, second, third])).toEqual([1000, 1001, 1002]);
    expect(await store.take(id, [third])).toEqual([1002]);
    expect(await told.take(id, [1000])).toEqual([1003]);
  });

  it("are the same for two runs that take them at once", async () => {
    const id = randomUUID();
    const events = [1000, 1000].map((time) => ({ eventId: randomUUID(), time }));
    const taken = await Promise.all(Array.from({ length: 5 }, () => store.take(id, events)));
    for (const times of taken) expect(times).toEqual([1000, 1001]);
  });
});
