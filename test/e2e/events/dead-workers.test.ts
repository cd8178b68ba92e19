import { beforeAll, expect, it, type TestContext } from "vitest";
import { type AwsCall, awsAnswer, interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { streams } from "#shared/events/notification.ts";
import { eventSource, newReader, numbersIn } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { openSocket } from "../../support/socket.ts";

let stack: OwnStack;
beforeAll(async () => {
  stack = await ownStack();
});

/**
 * Let the worker of a queue that makes a certain call die before it: the call never ends, and nothing is renewed.
 * @returns how many have died
 */
function killOneWorker(
  { onTestFinished }: TestContext,
  queue: string,
  isLast: (call: AwsCall) => boolean,
): () => number {
  let deaths = 0;
  let bury = () => {};
  const buried = new Promise<void>((resolve) => {
    bury = resolve;
  });
  const endFaults = interceptAwsCalls(async (call, send) => {
    if (deaths === 0 && isLast(call)) {
      deaths++;
      await buried;
    } else if (deaths > 0 && call.action.startsWith("ChangeMessageVisibility")) {
      if (call.body.includes(`-${queue}.fifo`)) return awsAnswer(200, {});
    }
    return send();
  });
  onTestFinished(() => {
    endFaults();
    bury();
  });
  return () => deaths;
}

it.concurrent.for([
  { worker: "fan-out", queue: "events", action: "SendMessageBatch", table: "" },
  { worker: "delivery", queue: "deliveries", action: "BatchExecuteStatement", table: "-notifications" },
])(
  "gives what $worker was about to do to another worker within seconds of its death",
  {
    timeout: 40_000,
  },
  async ({ queue, action, table }, context) => {
    const reader = await newReader(stack);
    const source = eventSource(stack);
    const socket = await openSocket("/await", { token: reader.token }, stack);
    const deaths = killOneWorker(
      context,
      queue,
      (call) => call.action === action && call.body.includes(reader.userId) && call.body.includes(table),
    );
    for (const number of [1, 2]) await source.publish({ number, to: [reader], sender: reader.userId });

    await eventually(() => expect(numbersIn(socket.frames)).toEqual([1, 2]), { timeoutSeconds: 25 });
    expect(await source.numbersIn(streams.user(reader.userId))).toEqual([1, 2]);
    expect(deaths()).toBe(1);
  },
);
