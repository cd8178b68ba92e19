import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import pLimit from "p-limit";
import { permissionsOf } from "#shared/teams/permissions.ts";
import type { ApiAnswer } from "../test/support/api.ts";
import { localDomain } from "../test/support/connections.ts";
import { createConversation, qualified } from "../test/support/conversations.ts";
import {
  differencesOf,
  type MortalRunner,
  readLog,
  untilComplete,
  type WorkUnderKills,
} from "../test/support/kills/mortal-runner.ts";
import type { Runner } from "../test/support/runner.ts";
import { newIdentityProvider } from "../test/support/saml.ts";
import { registeredUser, type User } from "../test/support/users.ts";

const concurrentUsers = 8;
/** Time that events may still take at the end. */
const patienceMilliseconds = 90_000;
/** Time afterwards in which duplicate events may arrive. */
const repetitionMilliseconds = 3000;

interface Person {
  readonly id: string;
  readonly externalId: string;
  readonly userName: string;
  readonly isRemoved: boolean;
}

interface Company {
  readonly teamId: string;
  readonly owner: User;
  /** A member of the group who receives its events. */
  readonly member: User;
  /** Path of the members of a group that everybody joins. */
  readonly membersPath: string;
  scim(runner: Runner, method: string, path: string, json?: unknown): Promise<ApiAnswer>;
}

/** A directory creates, changes and removes users. */
export const directoryWork = (users: number): WorkUnderKills<Company, Person> => ({
  start: foundCompany,
  work: (mortal, company) => {
    const limit = pLimit(concurrentUsers);
    return Array.from({ length: users }, (_, index) =>
      limit(() => provision(mortal, company, { isRemoved: index % 2 === 0 })),
    );
  },
  async check(runner, company, people) {
    const expected = people.flatMap(({ id, isRemoved }) => [
      `conversation.member-join ${id}`,
      ...(isRemoved ? [`conversation.member-leave ${id}`] : []),
    ]);
    const problems: string[] = [];
    for (const observer of [company.owner, company.member])
      problems.push(...(await findLostEvents(runner, observer, expected)));
    await pause(repetitionMilliseconds);
    problems.push(...(await findStrangersInTeam(runner, company, people)));
    problems.push(...(await findWrongJoins(runner, company, people)));
    for (const person of people) {
      const find = person.isRemoved ? findRemains : findMissing;
      problems.push(...(await find(runner, company, person)).map((problem) => `${person.id}: ${problem}`));
    }
    const removed = people.filter(({ isRemoved }) => isRemoved).length;
    return { figures: { users: people.length, removed, events: 2 * expected.length }, problems };
  },
});

/** Found a team with an identity provider and a directory. */
async function foundCompany(runner: Runner): Promise<Company> {
  const { publicApi, internalApi } = runner;
  const team = { name: "Engines", icon: "default", binding: true };
  const [owner, member] = [await registeredUser({ team }, runner), await registeredUser({}, runner)];
  const { token, password } = owner;
  const must = ({ status, body }: ApiAnswer) => {
    if (status >= 300) throw new Error(`Answered ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const { team: teamId } = must(await publicApi("GET", "/self", { token }));
  const json = { member: { user: member.id, permissions: permissionsOf("member") } };
  must(await internalApi("POST", `/i/teams/${teamId}/members`, { json }));
  // Addresses are valid without a mail.
  for (const [feature, status] of [
    ["sso", "enabled"],
    ["validateSAMLemails", "disabled"],
  ])
    must(await internalApi("PUT", `/i/teams/${teamId}/features/${feature}`, { json: { status } }));
  const idp = must(
    await publicApi("POST", "/identity-providers?api_version=v2", {
      token,
      body: (await newIdentityProvider()).metadata(),
      headers: { "content-type": "application/xml" },
    }),
  );
  const ofDirectory = must(
    await publicApi("POST", "/v8/scim/auth-tokens", {
      token,
      json: { description: "", password, idp: idp.id },
    }),
  );
  const group = must(await createConversation(owner, { in: { id: teamId }, with: [member] }, runner));
  return {
    teamId,
    owner,
    member,
    membersPath: `/v9/conversations/${localDomain}/${group.qualified_id.id}/members`,
    scim: ({ publicApi }, method, path, json) =>
      publicApi(method, `/scim/v2/Users${path}`, { token: ofDirectory.token, json }),
  };
}

const byExternalId = (externalId: string) => `?filter=${encodeURIComponent(`externalId eq "${externalId}"`)}`;

/** Create a user, rename it, add it to the group, and perhaps remove it. */
async function provision(
  mortal: MortalRunner,
  { owner, membersPath, scim }: Company,
  { isRemoved }: Pick<Person, "isRemoved">,
): Promise<Person> {
  const name = randomUUID();
  const [externalId, userName] = [`${name}@example.com`, `u.${name}`];
  const send = (method: string, path: string, json: unknown, ...accepted: string[]) =>
    mortal.send((runner) => scim(runner, method, path, json), ...accepted);
  const fields = { externalId, userName, displayName: "Ada" };
  const created = await send("POST", "", fields, "201", "again:409 scim-error");
  const id: string =
    created.status === 201
      ? created.body.id
      : (await send("GET", byExternalId(externalId), undefined, "200")).body.Resources[0]?.id;
  if (id === undefined) throw new Error(`${externalId} exists only in part`);
  const patch = {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
    Operations: [{ op: "replace", path: "displayName", value: "Bob" }],
  };
  await send("PATCH", `/${id}`, patch, "200");
  const request = { token: owner.token, json: { qualified_users: qualified({ id }) } };
  await mortal.send(({ publicApi }) => publicApi("POST", membersPath, request), "200", "again:204");
  if (isRemoved) await send("DELETE", `/${id}`, undefined, "204", "again:404 scim-error");
  return { id, externalId, userName, isRemoved };
}

/** Check the joins and leaves that a user has read. */
async function findLostEvents(
  runner: Runner,
  { id }: Pick<User, "id">,
  expected: readonly string[],
): Promise<string[]> {
  const { lost, surplus } = await untilComplete(async () => {
    const found = (await readLog(runner, id)).flatMap(({ type, data }) => {
      if (type === "conversation.member-join")
        return data.users.map((user: { id: string }) => `${type} ${user.id}`);
      if (type !== "conversation.member-leave") return [];
      return data.qualified_user_ids.map((user: { id: string }) => `${type} ${user.id}`);
    });
    return differencesOf(expected, found);
  }, performance.now() + patienceMilliseconds);
  return [
    ...lost.map((name) => `${id} has not read ${name}`),
    ...surplus.map((name) => `${id} has read ${name} again`),
  ];
}

async function findStrangersInTeam(
  { publicApi }: Runner,
  { teamId, owner, member }: Company,
  people: readonly Person[],
): Promise<string[]> {
  const { token } = owner;
  const expected = [owner, member, ...people.filter(({ isRemoved }) => !isRemoved)].map(({ id }) => id);
  const { body } = await publicApi("GET", `/teams/${teamId}/members?maxResults=2000`, { token });
  const found: string[] = body.members.map(({ user }: { user: string }) => user);
  const { lost, surplus } = differencesOf(expected, found);
  const { body: size } = await publicApi("GET", `/teams/${teamId}/size`, { token });
  return [
    ...lost.map((id) => `${id} is not in the team`),
    ...surplus.map((id) => `${id} is in the team`),
    ...(size.teamSize === expected.length ? [] : [`The team counts ${size.teamSize} members`]),
  ];
}

/** According to the team's log, everybody joined once. */
async function findWrongJoins(
  { publicApi }: Runner,
  { owner: { token } }: Company,
  people: readonly Person[],
): Promise<string[]> {
  const joins: string[] = [];
  let last: string | undefined;
  for (let hasMore = true; hasMore; ) {
    const since = last === undefined ? "" : `&since=${last}`;
    const { body } = await publicApi("GET", `/teams/notifications?size=1000${since}`, { token });
    for (const { id, payload } of body.notifications) {
      if (id === last) continue;
      for (const { type, data } of payload) if (type === "team.member-join") joins.push(data.user);
    }
    last = body.notifications.at(-1)?.id ?? last;
    hasMore = body.has_more;
  }
  const ids = new Set(people.map(({ id }) => id));
  const { lost, surplus } = differencesOf([...ids], joins);
  return [
    ...lost.map((id) => `${id} is not in the team's log`),
    ...surplus.filter((id) => ids.has(id)).map((id) => `${id} joined again in the team's log`),
  ];
}

const described = ({ status, body }: ApiAnswer) => `${status} ${JSON.stringify(body)}`;

/** Find remains of a removed user; at last, another user gets its names. */
async function findRemains(
  runner: Runner,
  { owner: { token }, scim }: Company,
  { id, externalId, userName }: Person,
): Promise<string[]> {
  const problems: string[] = [];
  if ((await scim(runner, "GET", `/${id}`)).status !== 404) problems.push("can be read");
  const found = await scim(runner, "GET", byExternalId(externalId));
  if (found.body.totalResults !== 0) problems.push(`is found: ${described(found)}`);
  const handle = await runner.publicApi("GET", `/users/by-handle/${localDomain}/${userName}`, { token });
  if (handle.status !== 404) problems.push(`has its handle: ${described(handle)}`);
  const again = await scim(runner, "POST", "", { externalId, userName, displayName: "Cleo" });
  if (again.status !== 201) problems.push(`cannot come back: ${described(again)}`);
  return problems;
}

/** Find what is missing for a user who was not removed. */
async function findMissing(
  runner: Runner,
  { owner: { token }, scim }: Company,
  { id, externalId, userName }: Person,
): Promise<string[]> {
  const problems: string[] = [];
  const read = await scim(runner, "GET", `/${id}`);
  const { body: user } = read;
  if (user.displayName !== "Bob" || user.externalId !== externalId || user.userName !== userName)
    problems.push(`is ${described(read)}`);
  const { body: list } = await scim(runner, "GET", byExternalId(externalId));
  if (list.totalResults !== 1 || list.Resources[0].id !== id) problems.push("is not found");
  const handle = await runner.publicApi("GET", `/users/by-handle/${localDomain}/${userName}`, { token });
  if (handle.body.user !== id) problems.push(`has no handle: ${described(handle)}`);
  const [account] = (await runner.internalApi("GET", `/i/users?ids=${id}`)).body;
  if (account?.email !== externalId || account?.sso_id === undefined)
    problems.push(`has no address or identity: ${JSON.stringify(account)}`);
  const log = await readLog(runner, id);
  const own = log.filter(({ type, user }) => type.startsWith("user.") && user?.id === id);
  const told = own.map(({ type, user }) => `${type} ${user.name}`).toSorted();
  if (told.join() !== "user.activate Ada,user.update Bob") problems.push(`has read ${told}`);
  return problems;
}
