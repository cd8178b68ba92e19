import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { MessageRejected } from "@aws-sdk/client-sesv2";
import { afterEach, expect, it, vi } from "vitest";
import { createLog } from "./log.ts";
import { onBehalfOf } from "./request-id.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** What a log writes about an error. */
function logged(details: Record<string, unknown>): { text: string; entry: Record<string, unknown> } {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  createLog("test", "INFO").info("something-happened", details);
  const text = String(write.mock.lastCall?.[0]);
  write.mockRestore();
  return { text, entry: JSON.parse(text) };
}

const metadata = { $metadata: {}, message: "" };
const item = {
  pk: { S: "email#ada@example.com" },
  passwordHash: { S: "$argon2id$secret" },
  devices: { M: { a: { M: { nickname: { S: "phone of Ada" } } } } },
  numbers: { L: [{ S: "+4917012345678" }] },
};

it("a log hides the item of an error of DynamoDB, but neither the names of its attributes nor the reasons", () => {
  const { text, entry } = logged({
    error: new TransactionCanceledException({
      ...metadata,
      CancellationReasons: [{ Code: "None" }, { Code: "ConditionalCheckFailed", Item: item }],
    }),
  });
  expect(text).not.toMatch(/ada@|argon2|Ada|4917/);
  expect(entry.error).toMatchObject({
    name: "TransactionCanceledException",
    CancellationReasons: [
      { Code: "None" },
      { Code: "ConditionalCheckFailed", Item: { pk: "[redacted]", devices: "[redacted]" } },
    ],
  });
});

it("a log hides such an item in the cause of another error, too", () => {
  const cause = new ConditionalCheckFailedException({ ...metadata, Item: item });
  const { text, entry } = logged({ error: new Error("outer", { cause }) });
  expect(text).not.toMatch(/ada@|argon2|Ada|4917/);
  expect(entry.error).toMatchObject({ cause: { name: "ConditionalCheckFailedException" } });
});

it("a log hides recipients in the message and the stack of an error", () => {
  const message = "Email address is not verified: ada@example.com, Ada <ada@example.com>, +4917012345678";
  const { text, entry } = logged({ error: new MessageRejected({ ...metadata, message }) });
  expect(text).not.toMatch(/ada@|4917/);
  expect(entry.error).toMatchObject({
    message: "Email address is not verified: [redacted], Ada <[redacted]>, [redacted]",
  });
  expect(text).toContain("log.test.ts");
});

it("hides secrets of any type, however deeply they are nested", () => {
  const { entry } = logged({
    request: [{ cookies: { 1: "a" }, codes: ["123456"], code: "123456", password: "b" }],
    code: "ECONNRESET",
    Code: "123456",
    attempts: 3,
  });
  expect(entry).toMatchObject({
    request: [{ cookies: "[redacted]", codes: "[redacted]", code: "[redacted]", password: "[redacted]" }],
    code: "ECONNRESET",
    Code: "[redacted]",
    attempts: 3,
  });
});

it("a log shows ids of operations, although some look like addresses, but no other text under their key", () => {
  const { entry } = logged({ operation: "create-group-conversation@v9", operationId: "ada@example.com" });
  expect(entry).toMatchObject({ operation: "create-group-conversation@v9", operationId: "[redacted]" });
});

it("a line of the log names its request, also after a pause", async () => {
  expect(logged({}).entry).not.toHaveProperty("requestId");
  expect(onBehalfOf("request-1", () => logged({}).entry.requestId)).toBe("request-1");
  const later = ["request-1", "request-2"].map((id) =>
    onBehalfOf(id, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return logged({}).entry.requestId;
    }),
  );
  expect(await Promise.all(later)).toEqual(["request-1", "request-2"]);
});
