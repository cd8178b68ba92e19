import { randomInt, randomUUID } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { readChainFile } from "#shared/platform/audit/chain-file.ts";
import { type AuditedChange, auditedChanges } from "../../support/audited-changes.ts";
import { isOneOf, writes } from "../../support/calls.ts";
import { createConversation } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { type FaultRow, injectFaults, isOfFault, startFaults, storeFaults } from "../../support/faults.ts";
import { dieDuring } from "../../support/kills/kills.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { isSoak, times } from "../../support/soak.ts";
import { newTeam } from "../../support/teams.ts";
import { type Apis, newUser, type User } from "../../support/users.ts";

interface AuditRecord {
  readonly event: string;
  readonly operation: string;
  readonly request_id?: string;
  readonly target: Readonly<Record<string, string>>;
}

/** All records of a chain. */
async function recordsOf({ internalApi, clock }: OwnStack, chain: string): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  const from = new Date(clock() - 86_400_000).toISOString();
  for (let start: string | undefined, hasMore = true; hasMore; hasMore = start !== undefined) {
    const query = new URLSearchParams({ chain, from, size: "500", ...(start !== undefined && { start }) });
    const { body } = await internalApi("GET", `/i/audit?${query}`);
    records.push(...body.records);
    start = body.next;
  }
  return records;
}

/** Ids of a user's conversations, except for those that everybody has with themselves, which nobody creates. */
async function conversationsOf(
  { publicApi }: OwnStack,
  { id: ownId, token }: Pick<User, "id" | "token">,
): Promise<string[]> {
  const { body } = await publicApi("POST", "/v9/conversations/list-ids", { token, json: { size: 1000 } });
  return body.qualified_conversations
    .map(({ id }: { id: string }) => id)
    .filter((id: string) => id[14] === "4" && id !== ownId);
}

const newStack = () => ownStack({ outboxResendSeconds: 1 }, { expectsError: isOfFault });

/** A team with a member, and somebody else, and the chains that have their records. */
async function newCast(stack: OwnStack) {
  const team = await newTeam({}, stack);
  const [member, stranger] = [await team.add(), await newUser({}, stack)];
  const chains = [`team-${team.id}`, `people-${stranger.id.slice(-1)}`, "installation"];
  return { cast: { team, member, stranger }, chains };
}

interface Done {
  readonly name: string;
  readonly requestId: string | null;
}

/** The changes that succeed, in a round of all kinds, or until nobody answers. */
async function sendAll(changes: Iterable<AuditedChange>): Promise<Done[]> {
  const done: Done[] = [];
  try {
    for (const [name, send, unchanged] of changes) {
      const answer = await send();
      if (answer !== undefined && answer.status < 300 && answer.status !== unchanged)
        done.push({ name, requestId: answer.headers.get("x-request-id") });
    }
  } catch {
    // Nobody answers any more.
  }
  return done;
}

/** The names of changes that have no record. */
function unrecorded(done: readonly Done[], records: readonly AuditRecord[]): string[] {
  const recorded = new Set(records.map(({ request_id }) => request_id));
  return done.flatMap(({ name, requestId }) => (recorded.has(requestId ?? "") ? [] : [name]));
}

const allRecords = async (stack: OwnStack, chains: readonly string[]) =>
  (await Promise.all(chains.map((chain) => recordsOf(stack, chain)))).flat();

/** Watches for calls that store a record with nothing else, or more than one. */
function watchRecords({ prefix }: OwnStack) {
  const table = `${prefix}-audit`;
  const lonely: string[] = [];
  const end = interceptAwsCalls((call, send) => {
    if (call.service === "dynamodb" && call.body.includes(`"${table}"`)) {
      const { TransactItems: items = [] } = JSON.parse(call.body);
      const puts = items.filter((item: { Put?: { TableName: string } }) => item.Put?.TableName === table);
      const isTogether = puts.length === 1 && items.length > 1;
      const adds = ["PutItem", "BatchWriteItem", "TransactWriteItems"].includes(call.action);
      if (adds && !isTogether) lonely.push(`${call.action} ${call.body}`);
    }
    return send();
  });
  return { lonely, end };
}

/** Faults after which the SDK, or the change itself, is repeated. */
const rows: readonly FaultRow[] = [
  { service: "dynamodb", action: writes, attempt: "first", faults: ["answer-lost", "failed"], every: 2 },
  { service: "dynamodb", action: "TransactWriteItems", attempt: "first", faults: ["conflicts"], every: 5 },
];

/** In milliseconds, for thousands of changes on a busy machine. */
const timeout = times(120_000, 480_000);

it("the audit trail has a record of each of more than a hundred kinds of changes, and none without a change, whatever fails", {
  timeout,
}, async () => {
  const stack = await newStack();
  const casts = [];
  for (let round = 0; round < times(1, 14); round++) casts.push(await newCast(stack));
  const { lonely, end } = watchRecords(stack);
  onTestFinished(end);
  const faults = startFaults(isSoak ? storeFaults : rows);
  onTestFinished(faults.end);
  const rounds = await Promise.all(
    casts.map(async ({ cast, chains }) => ({
      cast,
      chains,
      done: await sendAll(auditedChanges(stack, cast)),
    })),
  );
  faults.end();

  expect(new Set(rounds.flatMap(({ done }) => done.map(({ name }) => name))).size).toBeGreaterThan(100);
  for (const { cast, chains, done } of rounds) {
    const records = await allRecords(stack, chains);
    expect(unrecorded(done, records)).toEqual([]);
    const of = (name: string) =>
      records.filter(({ event }) => event === name).map(({ target }) => target.cid);
    const removed = new Set(of("conversation.deleted"));
    const created = [...of("conversation.created"), ...of("connection.requested")];
    const remaining = created.filter((id) => !removed.has(id));
    // A job removes the members.
    await eventually(async () =>
      expect((await conversationsOf(stack, cast.team.owner)).toSorted()).toEqual(remaining.toSorted()),
    );
  }
  expect(lonely).toEqual([]);
  // About 120 by chance.
  expect(faults.total()).toBeGreaterThan(75);
});

/** Kinds of changes that are left when a process begins, so that it makes enough of them to die. */
const fewestLeft = 20;

/** Changes of all kinds, which are continued by one process after another. */
async function newSequence(stack: OwnStack) {
  const { cast, chains } = await newCast(stack);
  let current: Apis = stack;
  const apis: Apis = {
    publicApi: (...request) => current.publicApi(...request),
    internalApi: (...request) => current.internalApi(...request),
  };
  const changes = auditedChanges(apis, cast);
  const rest = changes.values();
  const next = () => {
    sequence.left--;
    return rest.next();
  };
  const sequence = {
    chains,
    left: changes.length,
    goOn: (by: Apis): Promise<Done[]> => {
      current = by;
      return sendAll({ [Symbol.iterator]: () => ({ next }) });
    },
  };
  return sequence;
}

if (isSoak)
  it("the audit trail has as many records as there are transactions with one when processes die at any of them", {
    timeout,
  }, async () => {
    const stack = await newStack();
    let sequence = await newSequence(stack);
    for (let kill = 0; kill < 25; kill++) {
      if (sequence.left < fewestLeft) sequence = await newSequence(stack);
      const { chains, goOn } = sequence;
      const before = (await allRecords(stack, chains)).length;
      const isAfterwards = kill % 2 === 0;
      const number = randomInt(1, 9);
      const death = {
        action: "TransactWriteItems",
        mentions: `"${stack.prefix}-audit"`,
        number,
        isAfterwards,
      };
      let done: readonly Done[] = [];
      await dieDuring(stack, death, async (apis) => {
        done = await goOn(apis);
      });
      const records = await allRecords(stack, chains);
      expect(records).toHaveLength(before + number - (isAfterwards ? 0 : 1));
      expect(unrecorded(done, records)).toEqual([]);
    }
  });

it.for([
  ["before the commit of a change", (name: string) => ({ action: "TransactWriteItems", mentions: name }), 0],
  ["after it", () => ({ action: "SendMessage", mentions: "lane" }), 1],
] as const)("the trail has a record of each change when the process dies %s", async ([, death, expected]) => {
  const stack = await newStack();
  const user = await newUser({}, stack);
  const name = `Group ${randomUUID()}`;
  await dieDuring(stack, death(name), (apis) => createConversation(user, { name }, { ...stack, ...apis }));
  const records = await recordsOf(stack, `people-${user.id.slice(-1)}`);
  const named = records.flatMap(({ event, target }) => (event === "conversation.created" ? target.cid : []));
  expect(named.toSorted()).toEqual((await conversationsOf(stack, user)).toSorted());
  expect(named).toHaveLength(expected);
});

/** The files of a chain as they are stored. */
async function filesOf(
  { internalApi }: OwnStack,
  chain: string,
): Promise<{ files: string[]; head?: { file: number; hash: string } }> {
  return (await internalApi("GET", `/i/audit/files?chain=${chain}`)).body;
}

it("the audit trail is sealed once when the sealer dies at any step", async () => {
  const stack = await newStack();
  const deaths = [
    // Before the file is written.
    { service: "s3", action: "PUT", faults: ["dies-before"] },
    // Before the end of the chain moves.
    { service: "s3", action: "PUT", faults: ["dies-after"] },
    // After the new end is noted.
    { service: "dynamodb", action: "PutItem", faults: ["dies-after"] },
  ] as const;
  for (const death of deaths) {
    const team = await newTeam({}, stack);
    const chain = `team-${team.id}`;
    await createConversation(team.owner, { name: "One", in: team }, stack);
    const unsealed = await recordsOf(stack, chain);
    stack.advance(2 * 3600);
    const endFaults = injectFaults((call) => (isOneOf(death, call) ? death.faults[0] : undefined));
    await expect(stack.invoke("audit-sealer", {})).rejects.toThrow();
    endFaults();
    await Promise.all([stack.invoke("audit-sealer", {}), stack.invoke("audit-sealer", {})]);
    await stack.invoke("audit-sealer", {});

    const { files, head } = await filesOf(stack, chain);
    expect(files).toHaveLength(1);
    const { records, hash } = readChainFile(files[0] ?? "");
    expect(head).toEqual({ file: 1, hash });
    expect(records.map(({ requestId }) => requestId)).toEqual(unsealed.map(({ request_id }) => request_id));
    expect(await recordsOf(stack, chain)).toEqual(unsealed);
  }
});
