import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { localDomain } from "../test/support/connections.ts";
import { createConversation } from "../test/support/conversations.ts";
import { registerDevice } from "../test/support/devices.ts";
import {
  type LoggedEvent,
  type MortalRunner,
  readLog,
  untilComplete,
  type WorkUnderKills,
} from "../test/support/kills/mortal-runner.ts";
import { messagesTo } from "../test/support/messages.ts";
import { recipientsOf, sendJson } from "../test/support/otr-messages.ts";
import type { Runner } from "../test/support/runner.ts";
import { newEmail, register, somePassword, type User } from "../test/support/users.ts";
import { foundTeam } from "./kill-groups.ts";

/** Members of each conversation, of whom the first sends. */
const members = 5;
/** Number of messages after which the conversation is renamed. */
const messagesPerRename = 3;
/** Time that messages may still take at the end. */
const patienceMilliseconds = 120_000;

interface Member extends User {
  readonly clientId: string;
}

interface Conversation {
  readonly id: string;
  readonly people: readonly [Member, ...Member[]];
  /** Messages and renames that were answered with success, in this order. */
  readonly words: string[];
  /** Messages that the client has sent again, which may be stored more than once. */
  readonly repeated: Set<string>;
}

/** Members send messages to conversations, which are renamed in between, and newcomers register. */
export const messageWork = (count: number): WorkUnderKills<Conversation[], string[]> => ({
  start: (runner) => start(runner, count),
  work: (mortal, conversations, isOver) => [
    registerNewcomers(mortal, isOver),
    ...conversations.map(async (conversation) => {
      while (!isOver()) await talk(mortal, conversation);
      return [];
    }),
  ],
  async check(runner, conversations, done) {
    const { deliveries, problems } = await findWrongLogs(runner, conversations);
    const addresses = done.flat();
    for (const address of addresses) {
      const mails = await messagesTo(address, runner);
      if (mails.length === 0) problems.push(`${address} has received no mail`);
    }
    const words = conversations.flatMap((conversation) => conversation.words);
    const messages = words.filter(isMessage).length;
    const renames = words.length - messages;
    const figures = { conversations: count, messages, renames, deliveries, mails: addresses.length };
    return { figures, problems };
  },
});

/** @returns the addresses whose registration was answered */
async function registerNewcomers(mortal: MortalRunner, isOver: () => boolean): Promise<string[]> {
  const addresses: string[] = [];
  while (!isOver()) {
    const email = newEmail();
    await mortal.send((runner) => register({ email, password: somePassword }, runner), "201");
    addresses.push(email);
    await pause(200);
  }
  return addresses;
}

const isMessage = (word: string) => word.startsWith("message");

async function start(runner: Runner, count: number): Promise<Conversation[]> {
  const { id: teamId, owner, others } = await foundTeam(runner, members * 4);
  const all: Member[] = [];
  for (const user of [owner, ...others]) {
    const { body } = await registerDevice(user, {}, { publicApi: runner.publicApi });
    all.push({ ...user, clientId: body.id });
  }
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const people = Array.from(
        { length: members },
        (_, place) => all[(index + place) % all.length] as Member,
      );
      const [sender, ...rest] = people as [Member, ...Member[]];
      const { body } = await createConversation(sender, { in: { id: teamId }, with: rest }, runner);
      return {
        id: body.qualified_id.id,
        people: [sender, ...rest] as const,
        words: [],
        repeated: new Set<string>(),
      };
    }),
  );
}

/** A few messages and a rename, one after another. */
async function talk(mortal: MortalRunner, { id, people, words, repeated }: Conversation): Promise<void> {
  const [sender, ...others] = people;
  const recipients = recipientsOf(...others.map((user) => [user, [user.clientId]] as const));
  const note = (word: string, isRepeated: boolean) => {
    words.push(word);
    if (isRepeated) repeated.add(word);
  };
  for (let number = 0; number < messagesPerRename; number++) {
    const text = randomUUID();
    const message = { sender: sender.clientId, recipients, data: Buffer.from(text).toString("base64") };
    const { isRepeated } = await mortal.send(
      ({ publicApi }) => sendJson({ id }, sender, message, { publicApi }),
      "201",
    );
    note(`message ${text}`, isRepeated);
  }
  const name = randomUUID();
  const path = `/v9/conversations/${localDomain}/${id}/name`;
  const { isRepeated } = await mortal.send(
    ({ publicApi }) => publicApi("PUT", path, { token: sender.token, json: { name } }),
    "200",
  );
  note(`rename ${name}`, isRepeated);
}

function wordOf({ type, data }: LoggedEvent): string | undefined {
  if (type === "conversation.rename") return `rename ${data.name}`;
  if (type !== "conversation.otr-message-add") return undefined;
  return `message ${Buffer.from(data.data, "base64")}`;
}

/** Compare the messages that everybody has read, and their order, with the answered ones. */
async function findWrongLogs(runner: Runner, conversations: readonly Conversation[]) {
  const problems: string[] = [];
  let deliveries = 0;
  const until = performance.now() + patienceMilliseconds;
  const users = new Map(conversations.flatMap(({ people }) => people.map((user) => [user.id, user])));
  for (const userId of users.keys()) {
    const own = conversations.filter(({ people }) => people.some(({ id }) => id === userId));
    const { lost } = await untilComplete(async () => {
      const log = await readLog(runner, userId);
      return { lost: own.flatMap((conversation) => problemsOf(conversation, userId, log)) };
    }, until);
    problems.push(...lost);
    deliveries += own.reduce((sum, conversation) => sum + expectedOf(conversation, userId).length, 0);
  }
  return { problems, deliveries };
}

/** A message is not addressed to the sender's own device. */
const expectedOf = ({ people, words }: Conversation, userId: string) =>
  people[0].id === userId ? words.filter((word) => !isMessage(word)) : words;

function problemsOf(conversation: Conversation, userId: string, log: readonly LoggedEvent[]): string[] {
  const { id, repeated } = conversation;
  const found = log
    .filter(({ qualified_conversation }) => qualified_conversation?.id === id)
    .flatMap((event) => wordOf(event) ?? []);
  const expected = expectedOf(conversation, userId);
  const missing = expected.filter((word) => !found.includes(word));
  const doubled = found.filter((word, index) => found.indexOf(word) !== index && !repeated.has(word));
  const order = [...new Set(found)].filter((word) => expected.includes(word));
  const isInOrder = missing.length > 0 || order.every((word, index) => word === expected[index]);
  return [
    ...missing.map((word) => `${userId} has not read ${word}`),
    ...doubled.map((word) => `${userId} has read ${word} again`),
    ...(isInOrder ? [] : [`${userId} has read ${id} in another order`]),
  ];
}
