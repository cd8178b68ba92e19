import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { eventSource, upTo } from "../../test/support/events.ts";
import { streams } from "./notification.ts";

const source = eventSource();

it("a stream of thousands of entries is read to either end in a few reads", async () => {
  const stream = streams.user(randomUUID());
  await source.fill(stream, upTo(2500));
  let reads = 0;
  const end = interceptAwsCalls((call, send) => {
    if (call.body.includes(stream)) reads++;
    return send();
  });
  const [oldestFirst, newestFirst]: [number[], number[]] = [[], []];
  try {
    for await (const { position } of source.store.after(stream, 0, 100)) oldestFirst.push(position);
    for await (const { position } of source.store.backwards(stream, 1)) newestFirst.push(position);
  } finally {
    end();
  }
  expect(oldestFirst).toEqual(upTo(2500));
  expect(newestFirst.toReversed()).toEqual(upTo(2500));
  // 100, 400, 1600 and the rest; then 1, 100, 400, 1600 and the rest.
  expect(reads).toBe(9);
});
