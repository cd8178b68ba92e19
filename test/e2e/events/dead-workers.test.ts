import { randomUUID } from "node:crypto";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, expect, it, type TestContext } from "vitest";
import { awsAnswer, interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { streams } from "#shared/events/notification.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { laneOf } from "#shared/platform/messaging/outbox-item.ts";
import { type Calls, isOneOf } from "../../support/calls.ts";
import { eventSource, newReader, numbersIn, upTo } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { openSocket } from "../../support/socket.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { stackWith } from "../../support/stack-with.ts";

let stack: OwnStack;
beforeAll(async () => {
  // Without sweeps, which would nudge what has waited for seconds.
  stack = await stackWith({ outboxResendSeconds: 600 });
});

/**
 * Let a queue's worker die before a certain call: the call never ends, and no lease is renewed.
 * @returns how many have died
 */
function killOneWorker({ onTestFinished }: TestContext, queue: string, last: Calls): () => number {
  let deaths = 0;
  const { promise: buried, resolve: bury } = Promise.withResolvers<void>();
  const end = interceptAwsCalls(async (call, send) => {
    if (deaths === 0 && isOneOf(last, call)) {
      deaths++;
      await buried;
      // The worker's next call never happens, because its batch may contain events of other tests.
      return awsAnswer(400, { __type: "AccessDeniedException" });
    }
    const isRenewal =
      call.action.startsWith("ChangeMessageVisibility") && call.body.includes(`-${queue}.fifo`);
    return deaths > 0 && isRenewal ? awsAnswer(200, {}) : send();
  });
  onTestFinished(() => {
    end();
    bury();
  });
  return () => deaths;
}

it.concurrent.for([
  { worker: "fan-out", queue: "events", action: "SendMessageBatch", table: "" },
  { worker: "delivery", queue: "deliveries", action: "BatchExecuteStatement", table: "-notifications" },
])(
  "the work of $worker is taken over by another worker within seconds of its death",
  async ({ queue, action, table }, context) => {
    const reader = await newReader(stack);
    const source = eventSource(stack);
    const socket = await openSocket("/await", { token: reader.token }, stack);
    const deaths = killOneWorker(context, queue, { action, mentions: [reader.userId, table] });
    for (const number of [1, 2]) await source.publish({ number, to: [reader], sender: reader.userId });

    // On a busy machine, the other worker may be taken for dead, too: then a third one posts again, under the same ids.
    const numbersById = () => {
      const frames = new Map(socket.frames.map((frame) => [frame.id, frame]));
      return numbersIn([...frames.values()]);
    };
    await eventually(() => expect(numbersById()).toEqual([1, 2]));
    expect(await source.numbersIn(streams.user(reader.userId))).toEqual([1, 2]);
    expect(deaths()).toBe(1);
  },
);

it.concurrent("an event is stored once if a worker took it together with an earlier one and could not complete it", async () => {
  const reader = await newReader(stack);
  const source = eventSource(stack);
  const sender = randomUUID();
  const lane = laneOf("events", sender);
  await source.commit(...[1, 2].map((number) => ({ number, to: [reader], sender })));
  const { Items = [] } = await createDynamo().send(
    new QueryCommand({
      TableName: stackConfig(stack.prefix).tableName("outbox"),
      KeyConditionExpression: "lane = :lane",
      ExpressionAttributeValues: { ":lane": lane },
    }),
  );
  const nudge = (messageId: string, { of = lane, receives = 1 } = {}) => ({
    messageId: randomUUID(),
    body: JSON.stringify({ lane: of, messageId }),
    attributes: { ApproximateReceiveCount: String(receives), MessageGroupId: of },
  });
  const run = (...Records: object[]) => stack.invoke("fan-out", { Records });
  const [first = "", second = ""] = Items.map(({ messageId }) => String(messageId));
  const others = upTo(9).map(() => nudge(first, { of: laneOf("events", randomUUID()) }));
  const refused = nudge(first);
  const endFaults = injectFaults(({ action, body }) =>
    action === "BatchWriteItem" && body.includes(lane) ? "denied" : undefined,
  );
  const outcome = await run(refused, ...others).finally(endFaults);
  expect(outcome).toMatchObject({
    batchItemFailures: expect.arrayContaining([{ itemIdentifier: refused.messageId }]),
  });

  await run(nudge(first, { receives: 2 }));
  await run(nudge(second));
  await source.publish({ number: 3, to: [reader], sender });

  const stored = () => source.numbersIn(streams.user(reader.userId));
  await eventually(async () => expect(await stored()).toContain(3));
  expect(await stored()).toEqual([1, 2, 3]);
});
