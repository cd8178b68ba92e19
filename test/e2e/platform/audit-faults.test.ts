import { randomUUID } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { readChainFile } from "#shared/platform/audit/chain-file.ts";
import { lockableFeatures } from "#shared/teams/features/catalogue.ts";
import type { ApiAnswer } from "../../support/api.ts";
import { createConversation } from "../../support/conversations.ts";
import { chooseStoreFault, injectFaults, isOfFault } from "../../support/faults.ts";
import { forkDoomedStack } from "../../support/fork-doomed-stack.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { times } from "../../support/soak.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

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

/** Ids of listed conversations, except for the one that everybody has with themselves, which nobody creates. */
const ownIds = (body: { qualified_conversations: { id: string }[] }) =>
  body.qualified_conversations.map(({ id }) => id).filter((id) => id[14] === "4");

/** Changes of a team and its owner, which succeed unless a fault meets them, and what each creates. */
function changesOf({ publicApi, internalApi, ...stack }: OwnStack, team: Team, member: User) {
  const { token } = team.owner;
  const teamPath = `/teams/${team.id}`;
  const features = `/i${teamPath}/features`;
  let count = 0;
  const text = () => `Name ${++count}`;
  const apis = { publicApi, internalApi, ...stack };
  const lock = (name: string) => [
    () => internalApi("PUT", `${features}/${name}/locked`),
    () => internalApi("PUT", `${features}/${name}/unlocked`),
  ];
  return {
    simple: [
      ...lockableFeatures.flatMap(lock),
      () => publicApi("PUT", "/self", { token, json: { name: text() } }),
      () => publicApi("PUT", "/self/handle", { token, json: { handle: `h${randomUUID().slice(0, 8)}` } }),
      () => publicApi("PUT", "/self/locale", { token, json: { locale: ++count % 2 ? "de" : "fr" } }),
      () => publicApi("PUT", teamPath, { token, json: { name: text() } }),
      () => internalApi("PUT", `/i/users/${member.id}/name`, { json: { name: text() } }),
      () =>
        internalApi("PUT", `/i/users/${member.id}/rich-info`, {
          json: { rich_info: { version: 0, fields: [] } },
        }),
      () => internalApi("PUT", `/i/users/${member.id}/status`, { json: { status: "suspended" } }),
      () => internalApi("PUT", `/i/users/${member.id}/status`, { json: { status: "active" } }),
    ] satisfies (() => Promise<ApiAnswer>)[],
    conversation: () => createConversation(team.owner, { name: text() }, apis),
  };
}

it("has a record of each change, and no record without one, whatever fails", async () => {
  const stack = await ownStack({ outboxResendSeconds: 1 }, { expectsError: isOfFault });
  const team = await newTeam({}, stack);
  const member = await team.add();
  const { simple, conversation } = changesOf(stack, team, member);
  const done: string[] = [];
  const created: string[] = [];
  const send = async (change: () => Promise<ApiAnswer>) => {
    const answer = await change().catch(() => undefined);
    if (answer !== undefined && answer.status < 300) done.push(answer.headers.get("x-request-id") ?? "");
    return answer;
  };

  const endFaults = injectFaults(chooseStoreFault);
  onTestFinished(endFaults);
  for (let round = 0; round < times(4, 30); round++) {
    for (const change of simple) await send(change);
    for (let number = 0; number < 3; number++) {
      const answer = await send(conversation);
      if (answer?.status === 201) created.push(answer.body.qualified_id.id);
    }
  }
  endFaults();

  const records = await recordsOf(stack, `team-${team.id}`);
  const recorded = new Set(records.map(({ request_id }) => request_id));
  expect(done.length).toBeGreaterThan(times(60, 500));
  expect(done.filter((requestId) => !recorded.has(requestId))).toEqual([]);
  const { body } = await stack.publicApi("POST", "/v9/conversations/list-ids", {
    token: team.owner.token,
    json: { size: 1000 },
  });
  const existing = ownIds(body);
  const named = records
    .filter(({ event }) => event === "conversation.created")
    .map(({ target }) => target.cid);
  expect(named.toSorted()).toEqual(existing.toSorted());
  expect(existing).toEqual(expect.arrayContaining(created));
});

it.each([
  ["before the commit of a change", "TransactWriteItems", 0],
  ["after it", "SendMessage", 1],
])("has as many records as changes when the process dies %s", async (_, action, expected) => {
  const stack = await ownStack();
  const user = await newUser({}, stack);
  const name = `Group ${randomUUID()}`;
  const mention = action === "TransactWriteItems" ? name : "lane";
  const doomed = await forkDoomedStack(stack, { action, mention });
  onTestFinished(doomed.stop);
  await createConversation(user, { name }, { ...stack, publicApi: doomed.publicApi }).catch(() => undefined);
  expect(await doomed.signal()).toBe("SIGKILL");
  const records = await recordsOf(stack, `people-${user.id.slice(-1)}`);
  const { body } = await stack.publicApi("POST", "/v9/conversations/list-ids", {
    token: user.token,
    json: {},
  });
  const existing = ownIds(body);
  const named = records
    .filter(({ event }) => event === "conversation.created")
    .map(({ target }) => target.cid);
  expect(named.toSorted()).toEqual(existing.toSorted());
  expect(named).toHaveLength(expected);
});

/** Files of a chain, as they are. */
async function filesOf(
  { internalApi }: OwnStack,
  chain: string,
): Promise<{ files: string[]; head?: { file: number; hash: string } }> {
  return (await internalApi("GET", `/i/audit/files?chain=${chain}`)).body;
}

it.each([
  ["the file is written", "s3", "PUT", "dies-before"],
  ["the end of the chain moves", "s3", "PUT", "dies-after"],
  ["it is noted", "dynamodb", "PutItem", "dies-after"],
] as const)("is sealed once when the sealer dies before %s", async (_, service, action, fault) => {
  const stack = await ownStack({}, { expectsError: isOfFault });
  const user = await newUser({}, stack);
  const chain = `people-${user.id.slice(-1)}`;
  await createConversation(user, { name: "One" }, stack);
  const unsealed = await recordsOf(stack, chain);
  stack.advance(2 * 3600);
  const endFaults = injectFaults((call) =>
    call.service === service && call.action === action ? fault : undefined,
  );
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
});
