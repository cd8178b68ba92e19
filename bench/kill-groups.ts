import { randomUUID } from "node:crypto";
import { permissionsOf } from "#shared/teams/permissions.ts";
import { localDomain } from "../test/support/connections.ts";
import { createConversation, qualified } from "../test/support/conversations.ts";
import {
  differencesOf,
  type LoggedEvent,
  type MortalRunner,
  readLog,
  untilComplete,
  type WorkUnderKills,
} from "../test/support/kills/mortal-runner.ts";
import type { Runner } from "../test/support/runner.ts";
import { registeredUser, type User } from "../test/support/users.ts";

/** Groups that live at the same time. */
const concurrentGroups = 3;
/** Members who leave each group and rejoin. */
const movingMembers = 3;
/** Time that events may still take at the end, for all members together. */
const patienceMilliseconds = 120_000;

interface Team {
  readonly id: string;
  readonly owner: User;
  readonly others: readonly User[];
}

/** Events of one group that have been announced, in words. */
interface History {
  readonly id: string;
  readonly events: string[];
  /** Renames that the client has repeated; each repetition counts as another rename. */
  readonly repeated: Set<string>;
}

/** An owner creates, changes and deletes large groups. */
export const groupWork = (members: number): WorkUnderKills<Team, History[]> => ({
  start: (runner) => foundTeam(runner, members),
  work: (mortal, team, isOver) =>
    Array.from({ length: concurrentGroups }, async () => {
      const histories: History[] = [];
      while (!isOver()) histories.push(await liveOnce(mortal, team));
      return histories;
    }),
  async check(runner, team, done) {
    const histories = done.flat();
    const { withoutAnswer, deliveries, problems } = await findWrongLogs(runner, team, histories);
    return {
      figures: { members, groups: histories.length, "without answer": withoutAnswer.size, deliveries },
      problems: [
        ...problems,
        ...(await findPartialGroups(runner, team, withoutAnswer)),
        ...(await findWrongLists(runner, team, histories, [...withoutAnswer.keys()])),
      ],
    };
  },
});

/** A team with this many members, including the owner. */
export async function foundTeam(runner: Runner, members: number): Promise<Team> {
  const team = { name: "Engines", icon: "default", binding: true };
  const owner = await registeredUser({ team }, runner);
  const { body: self } = await runner.publicApi("GET", "/self", { token: owner.token });
  const others: User[] = [];
  while (others.length < members - 1) {
    const joined = Array.from({ length: Math.min(10, members - 1 - others.length) }, async () => {
      const user = await registeredUser({}, runner);
      const json = { member: { user: user.id, permissions: permissionsOf("member") } };
      const { status } = await runner.internalApi("POST", `/i/teams/${self.team}/members`, { json });
      if (status !== 200) throw new Error(`Joining the team was answered ${status}`);
      return user;
    });
    others.push(...(await Promise.all(joined)));
  }
  return { id: self.team, owner, others };
}

/** One group from its creation to its deletion. */
async function liveOnce(mortal: MortalRunner, { id: teamId, owner, others }: Team): Promise<History> {
  const { token } = owner;
  const created = await mortal.send(
    (runner) => createConversation(owner, { in: { id: teamId }, with: others, name: randomUUID() }, runner),
    "201",
  );
  const { id } = created.body.qualified_id;
  const history: History = { id, events: ["create"], repeated: new Set() };
  const path = `/v9/conversations/${localDomain}/${id}`;
  const send = (method: string, suffix: string, json: unknown, ...accepted: string[]) =>
    mortal.send(({ publicApi }) => publicApi(method, path + suffix, { token, json }), ...accepted);
  const rename = async (name: string) => {
    const { isRepeated } = await send("PUT", "/name", { name }, "200");
    history.events.push(`rename ${name}`);
    if (isRepeated) history.repeated.add(`rename ${name}`);
  };
  const moving = others.slice(0, movingMembers);
  await rename("One");
  for (const member of moving) {
    await send("DELETE", `/members/${localDomain}/${member.id}`, undefined, "200", "again:204");
    history.events.push(`member-leave ${member.id}`);
  }
  await rename("Two");
  await send("POST", "/members", { qualified_users: qualified(...moving) }, "200", "again:204");
  history.events.push(...moving.map((member) => `member-join ${member.id}`));
  await rename("Three");
  await mortal.send(
    ({ publicApi }) => publicApi("DELETE", `/teams/${teamId}/conversations/${id}`, { token }),
    "200",
    "again:404 no-conversation",
    "again:403 no-conversation",
  );
  history.events.push("delete");
  return history;
}

/**
 * The events of a group that a member receives: members who leave receive none between leaving and the return of all.
 */
function expectedFor({ events }: History, { id }: User): string[] {
  const left = events.indexOf(`member-leave ${id}`);
  if (left < 0) return events;
  const back = events.findIndex((event) => event.startsWith("member-join"));
  return events.filter((_, index) => index <= left || index >= back);
}

/** The events of groups in words, by group. */
function wordsOf({ type, data, qualified_conversation: group }: LoggedEvent): [string, string][] {
  if (group === undefined) return [];
  const name = type.replace("conversation.", "");
  const usersOf: Record<string, () => { id: string }[]> = {
    "member-join": () => data.users,
    "member-leave": () => data.qualified_user_ids,
  };
  const users = usersOf[name]?.();
  if (users !== undefined) return users.map((user) => [group.id, `${name} ${user.id}`]);
  return [[group.id, name === "rename" ? `${name} ${data.name}` : name]];
}

/** Compare the events that everybody has read with those that were announced. */
async function findWrongLogs(runner: Runner, { owner, others }: Team, histories: readonly History[]) {
  const problems: string[] = [];
  /** Groups whose creation was not answered, with the number of members who have read of it. */
  const withoutAnswer = new Map<string, number>();
  const repetitions = new Map<string, Set<number>>();
  const answered = new Map(histories.map((history) => [history.id, history]));
  let deliveries = 0;
  const until = performance.now() + patienceMilliseconds;
  for (const user of [owner, ...others]) {
    const expected = histories.flatMap((history) =>
      expectedFor(history, user).map((event) => `${history.id} ${event}`),
    );
    deliveries += expected.length;
    const { words, found, lost, surplus } = await untilComplete(async () => {
      const read = (await readLog(runner, user.id)).flatMap(wordsOf);
      const known = read.flatMap(([id, event]) => (answered.has(id) ? [`${id} ${event}`] : []));
      return { words: read, found: known, ...differencesOf(expected, known) };
    }, until);
    problems.push(...lost.map((event) => `${user.id} has not read ${event}`));
    for (const history of histories) {
      for (const event of history.repeated) {
        if (!expectedFor(history, user).includes(event)) continue;
        const name = `${history.id} ${event}`;
        const counts = repetitions.get(name) ?? new Set();
        repetitions.set(name, counts.add(found.filter((one) => one === name).length));
      }
    }
    const doubled = surplus.filter((event) => !repetitions.has(event));
    problems.push(...doubled.map((event) => `${user.id} has read ${event} again`));
    for (const [id, event] of words) {
      if (!answered.has(id) && event === "create") withoutAnswer.set(id, (withoutAnswer.get(id) ?? 0) + 1);
    }
  }
  for (const [event, counts] of repetitions)
    if (counts.size > 1) problems.push(`Members have read ${event} ${[...counts].join(" or ")} times`);
  return { problems, withoutAnswer, deliveries };
}

/** A creation without an answer has happened for everybody, or for nobody. */
async function findPartialGroups(
  { publicApi }: Runner,
  { owner, others }: Team,
  withoutAnswer: ReadonlyMap<string, number>,
): Promise<string[]> {
  const problems: string[] = [];
  for (const [id, readers] of withoutAnswer) {
    if (readers !== others.length + 1) problems.push(`${readers} members have read of ${id}`);
    const path = `/v9/conversations/${localDomain}/${id}`;
    const { body } = await publicApi("GET", path, { token: owner.token });
    const found: { id: string }[] = body.members?.others ?? [];
    if (found.length !== others.length) problems.push(`${id} has ${found.length} other members`);
  }
  return problems;
}

/** Check that everybody lists the same groups, and no deleted one. */
async function findWrongLists(
  { internalApi }: Runner,
  { owner, others }: Team,
  histories: readonly History[],
  living: readonly string[],
): Promise<string[]> {
  const problems: string[] = [];
  const deleted = histories.map(({ id }) => id);
  for (const user of [owner, ...others]) {
    const request = { headers: { "z-user": user.id }, json: { size: 1000 } };
    const { body } = await internalApi("POST", "/v9/conversations/list-ids", request);
    const ids: string[] = body.qualified_conversations.map(({ id }: { id: string }) => id);
    problems.push(
      ...deleted.filter((id) => ids.includes(id)).map((id) => `${user.id} lists the deleted ${id}`),
    );
    problems.push(...living.filter((id) => !ids.includes(id)).map((id) => `${user.id} does not list ${id}`));
  }
  return problems;
}
