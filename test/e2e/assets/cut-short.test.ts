// Stacks of their own: their clocks are moved, and their buckets listed.
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { BucketReader } from "#lib/personal-data/bucket-reader.ts";
import { itemsMentioning } from "../../support/all-items.ts";
import { mixed } from "../../support/assets.ts";
import { eventually } from "../../support/eventually.ts";
import { type AwsCall, injectFaults, isOfFault } from "../../support/faults.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { type UploadParts, uploadBody } from "../../support/upload-body.ts";
import { newUser } from "../../support/users.ts";

let stack: OwnStack;
beforeAll(async () => {
  stack = await ownStack({}, { expectsError: isOfFault });
});

let endFaults = () => {};
afterEach(() => endFaults());

const recordsOf = async (id: string) => (await itemsMentioning(id, stack.prefix, ["assets"])).assets ?? [];

/** Names of objects that exist or have parts. */
async function storedNames(): Promise<string[]> {
  const reader = new BucketReader(new Map([["assets", `${stack.prefix}-assets`]]));
  const names = [];
  for await (const { name } of reader.objects("assets")) names.push(name);
  for await (const name of reader.unfinished("assets")) names.push(name);
  return names.map((name) => name.slice(name.lastIndexOf("/") + 1)).sort();
}

/** The calls by which an upload stores something. */
const isWrite = ({ service, action, body }: AwsCall) =>
  (service === "s3" && action !== "GET") ||
  (service === "dynamodb" && /^(Put|Update|Delete|Transact)/.test(action) && /-(assets|outbox)"/.test(body));

const large = { content: Buffer.alloc(6 * 1024 ** 2, "0123456789abcde") };

describe.each<[string, UploadParts, number]>([
  ["in one part", {}, 5],
  ["in parts", large, 8],
])("an upload of a file %s", (_, parts, writes) => {
  const post = (token: string) =>
    stack.publicApi("POST", "/v8/assets", { token, headers: mixed, body: uploadBody(parts) });

  it("makes as many writes as the following tests interrupt", async () => {
    let count = 0;
    endFaults = injectFaults((call) => {
      if (isWrite(call)) count++;
      return undefined;
    });
    const { token } = await newUser({}, stack);
    expect((await post(token)).status).toBe(201);
    expect(count).toBe(writes);
  });

  it.each(
    Array.from({ length: writes }, (_, index) =>
      ["before", "after"].map((place) => [place, index + 1] as const),
    ).flat(),
  )(
    "whose process dies %s write %i leaves a whole file with its record, or nothing",
    async (place, number) => {
      const { id, token } = await newUser({}, stack);
      const before = await storedNames();
      let count = 0;
      endFaults = injectFaults((call) => {
        if (!isWrite(call)) return undefined;
        count++;
        if (count < number) return undefined;
        // What follows in the same process would no longer happen.
        return count === number && place === "after" ? "dies-after" : "dies-before";
      });
      await post(token).catch(() => undefined);
      endFaults();
      stack.advance(3 * 3600 + 120);
      await stack.invoke("outbox-sweeper", {});
      await eventually(async () =>
        expect((await itemsMentioning("arrivingKey", stack.prefix, ["outbox"])).outbox).toBeUndefined(),
      );
      const records = await recordsOf(id);
      const added = (await storedNames()).filter((name) => !before.includes(name));
      // S3 removes the upload of a process that died before it could note its id.
      const isUnknown = place === "after" && parts === large && number === 2;
      if (!isUnknown) expect(added).toEqual(records.map(({ assetKey }) => String(assetKey).slice(4)));
      expect(records).toEqual(
        number === writes || (place === "after" && number === writes - 1)
          ? [expect.objectContaining({ state: "unsent" })]
          : [],
      );
    },
  );
});

it("a file that arrives after the erasure of its owner's account is refused", async () => {
  const { id, token, password } = await newUser({}, stack);
  const body = uploadBody({ content: Buffer.alloc(1000) });
  const sent = request(`${stack.publicUrl}/v8/assets`, {
    method: "POST",
    headers: { ...mixed, authorization: `Bearer ${token}`, "content-length": body.length },
  });
  const answered = once(sent, "response") as Promise<[IncomingMessage]>;
  const reads = accountReads(id);
  sent.write(body.subarray(0, -100));
  await eventually(() => expect(reads.count).toBeGreaterThan(0));
  await stack.publicApi("DELETE", "/self", { token, json: { password } });
  stack.advance(31);
  sent.end(body.subarray(-100));
  const [answer] = await answered;
  answer.resume();
  expect(answer.statusCode).toBe(403);
  expect(await recordsOf(id)).toEqual([]);
});

/** Counts the reads of an account. */
function accountReads(id: string): { count: number } {
  const reads = { count: 0 };
  endFaults = injectFaults(({ action, body }) => {
    if (/^(Batch)?GetItem$/.test(action) && body.includes(`user#${id}`)) reads.count++;
    return undefined;
  });
  return reads;
}
