import { randomUUID } from "node:crypto";
import { it } from "vitest";
import { eventSource, newReader, upTo } from "../support/events.ts";
import { openSocket } from "../support/socket.ts";

it("one sender", async () => {
  const events = eventSource();
  const reader = await newReader();
  const socket = await openSocket("/await", reader);
  const sender = randomUUID();
  for (let i = 0; i < 3; i++) {
    const t = performance.now();
    await events.publish({ number: 1, to: [reader], sender });
    const pub = performance.now() - t;
    await socket.first(i + 1);
    console.log("single", pub, performance.now() - t);
  }
  let t = performance.now();
  await events.publish(...upTo(50).map((number) => ({ number, to: [reader], sender })));
  console.log("publish 50", performance.now() - t);
  await socket.first(53);
  console.log("50 of one sender", performance.now() - t);
  t = performance.now();
  await Promise.all(upTo(50).map((number) => events.publish({ number, to: [reader], sender: randomUUID() })));
  console.log("publish 50", performance.now() - t);
  await socket.first(63);
  console.log("10 of 50 senders", performance.now() - t);
  await socket.first(103);
  console.log("50 of 50 senders", performance.now() - t);
});
