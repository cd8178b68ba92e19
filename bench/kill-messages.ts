import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { localDomain } from "../test/support/connections.ts";
import { createConversation } from "../test/support/conversations.ts";
import { registerDevice } from "../test/support/devices.ts";
import { recipientsOf, sendJson } from "../test/support/otr-messages.ts";
import type { Runner } from "../test/support/runner.ts";
import type { User } from "../test/support/users.ts";
import { foundTeam } from "./kill-groups.ts";
import { type KillReport, type LoggedEvent, MortalRunner, readLog } from "./mortal-runner.ts";

/** Members of each conversation, of whom the first sends. */
const members = 5;
/** After so many messages the conversation is renamed. */
const messagesPerRename = 3;
/** A process lives between its start and a random moment of this time. */
const longestLifeMilliseconds = 2500;
/** How long messages may be on their way in the end. */
const patienceMilliseconds = 120_000;

interface Member extends User {
  readonly clientId: string;
}

interface Conversation {
  readonly id: string;
  readonly people: readonly [Member, ...Member[]];
  /** What was answered with success, in this order. */
  readonly words: string[];
  /** What the client has sent again, so that it may be there more than once. */
  readonly repeated: Set<string>;
}

/** Send messages and renames to conversations while the runner is killed again and again. */
export async function killMessages({
  kills,
  conversations: count,
}: {
  kills: number;
  conversations: number;
}): Promise<KillReport> {
  const mortal = new MortalRunner({ maxTeamSize: 10_000 });
  const conversations = await start(await mortal.running, count);
  let isEnding = false;
  const startedAt = performance.now();
  const talks = conversations.map(async (conversation) => {
    while (!isEnding) await talk(mortal, conversation);
  });
  const results = await mortal.killDuring(Promise.allSettled(talks), {
    kills,
    longestLifeMilliseconds,
    onKilled: () => {
      isEnding = true;
    },
  });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const problems = results.flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []));
  const logs = await findWrongLogs(await mortal.running, conversations);
  await mortal.stop();
  return {
    row: {
      kills: mortal.kills,
      conversations: count,
      messages: conversations.reduce((sum, { words }) => sum + words.filter(isMessage).length, 0),
      renames: conversations.reduce(
        (sum, { words }) => sum + words.filter((word) => !isMessage(word)).length,
        0,
      ),
      repetitions: mortal.repetitions,
      deliveries: logs.deliveries,
      seconds,
    },
    problems: [...problems, ...logs.problems],
  };
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

/** Compare what everybody has read, and in which order, with what was answered. */
async function findWrongLogs(runner: Runner, conversations: readonly Conversation[]) {
  const problems: string[] = [];
  let deliveries = 0;
  const until = performance.now() + patienceMilliseconds;
  const users = new Map(conversations.flatMap(({ people }) => people.map((user) => [user.id, user])));
  for (const userId of users.keys()) {
    const own = conversations.filter(({ people }) => people.some(({ id }) => id === userId));
    for (;;) {
      const log = await readLog(runner, userId);
      const found = own.flatMap((conversation) => problemsOf(conversation, userId, log));
      if (found.length > 0 && performance.now() < until) {
        await pause(500);
        continue;
      }
      problems.push(...found);
      deliveries += own.reduce((sum, conversation) => sum + expectedOf(conversation, userId).length, 0);
      break;
    }
  }
  return { problems, deliveries };
}

/** The sender's own device is not addressed. */
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
