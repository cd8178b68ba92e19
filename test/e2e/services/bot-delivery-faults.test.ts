import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { addBot, newRunningService } from "../../support/bots.ts";
import { conversationData } from "../../support/conversations.ts";
import { eventSource, upTo } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { eventFaults, type FaultRow, isOfFault, startFaults } from "../../support/faults.ts";
import { dieDuring } from "../../support/kills/kills.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { serviceData } from "../../support/services.ts";
import { times } from "../../support/soak.ts";
import { newUser, type User } from "../../support/users.ts";

/** Attempts at an event that a service may fail, so that none is lost. */
const maxFailures = 2;
/** Number of attempts at an event that a service may fail without losing it. */
const events = times(5, 8);

/** A bot in a group. */
interface Bot {
  readonly id: string;
  readonly group: { readonly id: string };
}

/** Groups of one user, each with a bot of a service that fails some calls, but none of them too often. */
async function newBots(stack: OwnStack, count: number) {
  const [user, provider] = await Promise.all([newUser({}, stack), serviceData(stack).newProvider()]);
  const service = await newRunningService(provider, {}, stack);
  const { server } = service;
  const pathOf = ({ id }: Pick<Bot, "id">) => `/bots/${id}/messages`;
  const bots: Bot[] = [];
  for (const _ of upTo(count)) {
    const group = await conversationData(stack).newConversation([user]);
    const { body } = await addBot(user, group, service, stack);
    await eventually(() => expect(server.callsOf(pathOf(body))).toHaveLength(1));
    bots.push({ id: body.id, group });
  }
  const failures = new Map<string, number>();
  let calls = 0;
  for (const bot of bots) {
    server.answer(pathOf(bot), async ({ body }) => {
      const name = `${bot.id} ${body.data.name}`;
      const failed = failures.get(name) ?? 0;
      await delay(randomInt(20));
      if (failed === maxFailures || ++calls % 4 > 0) return {};
      failures.set(name, failed + 1);
      return { status: 503 };
    });
  }
  /** Numbers that a bot was told, without repetitions. */
  const numbersOf = (bot: Bot): number[] => {
    const renames = server.callsOf(pathOf(bot)).filter(({ body }) => body.type === "conversation.rename");
    return [...new Set(renames.map(({ body }) => Number(body.data.name)))];
  };
  return { bots, user, server, numbersOf };
}

/** Rename a group until the change has been made. */
async function rename(
  { publicApi }: Pick<OwnStack, "publicApi">,
  { token }: User,
  { group }: Bot,
  name: number,
) {
  const request = { token, json: { name: String(name) } };
  await eventually(async () => {
    const { status } = await publicApi("PUT", `/conversations/${group.id}/name`, request);
    expect([200, 204]).toContain(status);
  });
}

/** Faults on the way of events to bots: of the steps that all events take, and of those that only these take. */
const botFaults: readonly FaultRow[] = [
  { action: "DeleteMessageBatch", mentions: "bot-events.fifo", faults: ["ignored"], share: 0.1 },
  {
    action: ["SendMessage", "SendMessageBatch"],
    mentions: "bot-events.fifo",
    faults: ["failed", "answer-lost", "dies-before", "dies-after"],
    share: 0.1,
  },
  { service: "sqs", mentions: "bot-events.fifo", faults: [] },
  { service: "dynamodb", mentions: "-services", faults: ["dies-before", "dies-after"], share: 0.05 },
  ...eventFaults,
];

/** Attempts at an event pause for longer and longer. */
const patience = { timeoutSeconds: 200 };
const timeout = 300_000;

it("bots get all events in order when calls of AWS fail and workers die between any two steps", {
  timeout,
}, async ({ onTestFinished }) => {
  const stack = await ownStack({ outboxResendSeconds: 1 }, { expectsError: isOfFault });
  const { bots, user, server, numbersOf } = await newBots(stack, times(2, 10));
  onTestFinished(() => server.stop());
  const faults = startFaults(botFaults);
  onTestFinished(faults.end);
  await Promise.all(
    bots.map(async (bot) => {
      for (const number of upTo(events)) await rename(stack, user, bot, number);
    }),
  );
  // While faults continue, the last event may need many attempts.
  const endOfFaults = setTimeout(faults.end, 40_000);
  onTestFinished(() => clearTimeout(endOfFaults));

  await eventually(() => expect(bots.map(numbersOf)).toEqual(bots.map(() => upTo(events))), patience);
  expect(faults.total()).toBeGreaterThan(bots.length * 2);
});

it("bots get all events in order when the process is killed while it moves an event to the slow queue", {
  timeout,
}, async ({ onTestFinished }) => {
  const stack = await ownStack({ outboxResendSeconds: 1 }, { expectsError: isOfFault });
  const { bots, user, server, numbersOf } = await newBots(stack, times(2, 4));
  onTestFinished(() => server.stop());
  // Messages that the process has received but not begun to handle would otherwise be invisible for a minute.
  await eventSource(stack).setVisibilityTimeout(12);
  let sent = 0;
  const death = { action: "SendMessage", mentions: "slow-bot-events" };
  await dieDuring(stack, death, async (_, hasDied) => {
    while (!hasDied() || sent < 3) {
      sent++;
      await Promise.all(bots.map((bot) => rename(stack, user, bot, sent)));
    }
  });

  await eventually(() => expect(bots.map(numbersOf)).toEqual(bots.map(() => upTo(sent))), patience);
});
