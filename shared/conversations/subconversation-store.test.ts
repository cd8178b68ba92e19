import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Config } from "#shared/platform/config.ts";
import { StaleReadError, transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { parseGroupId } from "./group-id.ts";
import { newSubconversation, type Subconversation } from "./subconversation.ts";
import { SubconversationStore } from "./subconversation-store.ts";

const dynamo = createDynamo();
const config = { tableName: (name) => `test-${name}` } as Config;

/** The subconversations of a conversation, with a clock that goes on by itself. */
function newPlace() {
  let now = Date.UTC(2026, 0, 31);
  const store = new SubconversationStore({ dynamo, config, clock: () => now++ });
  const conversationId = randomUUID();
  const read = async (id: string): Promise<Subconversation> =>
    (await store.get({ conversationId, subconversationId: id })) ??
    newSubconversation(
      { conversationId, type: "regular" },
      { id, generation: await store.firstGeneration(conversationId) },
      { domain: "example.com" },
    );
  const begin = async (id: string, survey = store.survey(conversationId)) => {
    const previous = await read(id);
    const { next, writes } = store.change(previous, { ...previous.group, epoch: 1 });
    await transact(dynamo, [...writes, ...store.begin(await survey, previous, 0)]);
    return next;
  };
  const reset = async (id: string, groupId: string) =>
    transact(dynamo, store.change(await read(id), { groupId, epoch: 0 }).writes);
  const livingOf = async () => (await store.survey(conversationId)).living.length;
  return { store, conversationId, read, begin, reset, livingOf };
}

const generationOf = ({ group }: Subconversation) =>
  parseGroupId(Buffer.from(group.groupId, "base64"))?.generation;

describe.concurrent("the store of subconversations", () => {
  it("counts subconversations in use, but not those that were reset", async () => {
    const { begin, reset, livingOf } = newPlace();
    const { group } = await begin("one");
    await begin("two");
    expect(await livingOf()).toBe(2);
    await reset("one", group.groupId);
    expect(await livingOf()).toBe(1);
    await begin("one");
    expect(await livingOf()).toBe(2);
  });

  it("lets one of two begin that have read the same count", async () => {
    const { store, conversationId, begin } = newPlace();
    await begin("first");
    const survey = store.survey(conversationId);
    await survey;
    const racers = await Promise.allSettled(["one", "two"].map((id) => begin(id, survey)));
    expect(racers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const loser = racers.find((racer) => racer.status === "rejected");
    expect(loser?.reason).toBeInstanceOf(StaleReadError);
  });

  it("forgets the oldest of too many that were reset, and gives their groups unused ids", async () => {
    const { store, conversationId, read, begin, reset } = newPlace();
    const { group } = await begin("used");
    const successor = (generation: number) => {
      const bytes = Buffer.from(group.groupId, "base64");
      bytes.writeUInt32BE(generation, bytes.length - "example.com".length - 4);
      return bytes.toString("base64");
    };
    await reset("used", successor(7));
    for (let number = 2; number <= 200; number++) {
      const other = await read(`call ${number}`);
      await transact(dynamo, store.change(other, other.group).writes);
    }
    expect(generationOf(await read("unknown"))).toBe(0);
    await begin("another");
    const { living, reset: others } = await store.survey(conversationId);
    expect([living.length, others.length]).toEqual([1, 150]);
    for (const id of ["used", "unknown"]) expect(generationOf(await read(id))).toBe(7);
    expect(generationOf(await read("call 200"))).toBe(0);
  });
});
