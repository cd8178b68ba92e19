import { randomUUID } from "node:crypto";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { systemClock } from "../clock.ts";
import { isAtRevision, StaleReadError, type Write } from "../data/conditions.ts";
import { createDynamo } from "../data/dynamo.ts";
import { createLog } from "../log.ts";
import { change } from "./change.ts";
import { Outbox, type OutboxMessage } from "./outbox.ts";

const dynamo = createDynamo();
const deps = { dynamo };
const TableName = "test-rate-limits";

async function read(bucket: string): Promise<{ revision: number }> {
  const { Item } = await dynamo.send(new GetCommand({ TableName, Key: { bucket }, ConsistentRead: true }));
  return { revision: 0, ...Item };
}

const put = (bucket: string, revision: number): Write => ({
  item: { Put: { TableName, Item: { bucket, revision: revision + 1 }, ...isAtRevision(revision) } },
  onRejected: () => new StaleReadError(bucket),
});

/** A message that notes when it is sent, and whether it had been stored by then. */
function messageTo(sent: { bucket: string; wasStored: boolean }[]): OutboxMessage {
  const bucket = randomUUID();
  return {
    writes: [put(bucket, 0)],
    send: async () => {
      sent.push({ bucket, wasStored: (await read(bucket)).revision === 1 });
    },
  };
}

describe("a change", () => {
  it("stores its messages with its writes before it sends them", async () => {
    const bucket = randomUUID();
    const sent: { bucket: string; wasStored: boolean }[] = [];
    const result = await change(deps, async () => ({
      writes: [put(bucket, 0)],
      messages: [messageTo(sent), messageTo(sent)],
      result: "done",
    }));
    expect(result).toBe("done");
    expect(await read(bucket)).toMatchObject({ revision: 1 });
    expect(sent.map(({ wasStored }) => wasStored)).toEqual([true, true]);
  });

  it("decides anew when another one was faster, and sends only what was committed", async () => {
    const bucket = randomUUID();
    const sent: { bucket: string; wasStored: boolean }[] = [];
    const bothHaveRead = Promise.withResolvers<void>();
    let decisions = 0;
    const increment = () =>
      change(deps, async (attempt) => {
        const { revision } = await read(bucket);
        if (++decisions === 2) bothHaveRead.resolve();
        if (attempt === 1) await bothHaveRead.promise;
        return { writes: [put(bucket, revision)], messages: [messageTo(sent)], result: revision + 1 };
      });
    const results = await Promise.all([increment(), increment()]);
    expect(results.toSorted()).toEqual([1, 2]);
    expect(await read(bucket)).toMatchObject({ revision: 2 });
    expect(decisions).toBe(3);
    expect(sent.map(({ wasStored }) => wasStored)).toEqual([true, true]);
  });

  it("stands when a send fails, and leaves the message in the outbox", async () => {
    const outbox = new Outbox({
      config: {
        tableName: (name) => `test-${name}`,
        queueUrl: () => "http://127.0.0.1:1/000000000000/no-such-queue",
      },
      clock: systemClock,
      log: createLog("test", "CRITICAL"),
    });
    const bucket = randomUUID();
    const message = outbox.message("search-index", { userId: randomUUID() });
    await change(deps, async () => ({ writes: [put(bucket, 0)], messages: [message] }));
    expect(await read(bucket)).toMatchObject({ revision: 1 });
    const { lane, messageId } = message.writes[0]?.item.Put?.Item ?? {};
    const stored = new GetCommand({ TableName: "test-outbox", Key: { lane, messageId } });
    expect((await dynamo.send(stored)).Item).toMatchObject({ deliveries: 0 });
  });

  it("writes and sends nothing when there is nothing to do", async () => {
    await expect(change(deps, async () => undefined)).resolves.toBeUndefined();
    await expect(change(deps, async () => ({ result: "as it was" }))).resolves.toBe("as it was");
  });

  it("is final when a write is refused for another reason than a stale read", async () => {
    const bucket = randomUUID();
    const sent: { bucket: string; wasStored: boolean }[] = [];
    const refused = { ...put(bucket, 7), onRejected: () => new RangeError("refused") };
    let attempts = 0;
    const refusal = change(deps, async (attempt) => {
      attempts = attempt;
      return { writes: [refused], messages: [messageTo(sent)], afterCommit: () => Promise.reject() };
    });
    await expect(refusal).rejects.toThrow(RangeError);
    expect(attempts).toBe(1);
    expect(sent).toEqual([]);
  });

  it("does the rest after the commit, once", async () => {
    const bucket = randomUUID();
    const found: number[] = [];
    await change(deps, async (attempt) => ({
      writes: [put(bucket, attempt === 1 ? 1 : 0)],
      afterCommit: async () => found.push((await read(bucket)).revision),
    }));
    expect(found).toEqual([1]);
  });
});
