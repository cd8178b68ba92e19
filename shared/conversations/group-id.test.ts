import { randomBytes, randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { newGroupId, parseGroupId, successorOf } from "./group-id.ts";

it("the id of a group names its conversation", () => {
  const conversationId = randomUUID();
  for (const type of ["regular", "self", "one-to-one"] as const) {
    const reference = { conversationId, type, generation: 7, domain: "example.com" };
    expect(parse(newGroupId(reference))).toEqual(reference);
  }
});

it("the id of a group names its subconversation, even one with a long id", () => {
  const parent = {
    conversationId: randomUUID(),
    type: "regular",
    generation: 3,
    domain: "example.com",
  } as const;
  for (const subconversationId of ["conference", "~", " a b ", "x".repeat(255)]) {
    const reference = { ...parent, subconversationId };
    expect(parse(newGroupId(reference))).toEqual(reference);
    expect(parse(successorOf(newGroupId(reference)))).toEqual({ ...reference, generation: 4 });
  }
});

it("other bytes name no conversation", () => {
  const good = Buffer.from(
    newGroupId({ conversationId: randomUUID(), type: "regular", domain: "x" }),
    "base64",
  );
  const changed = (position: number, value: number) => {
    const bytes = Buffer.from(good);
    bytes.writeUInt8(value, position);
    return bytes;
  };
  const bad = [
    Buffer.alloc(0),
    good.subarray(0, 25),
    changed(1, 2),
    changed(3, 9),
    changed(10, 0xff),
    changed(20, 1),
    changed(20, 200),
  ];
  expect(bad.map(parseGroupId)).toEqual(bad.map(() => undefined));
  for (let round = 0; round < 1000; round++) parseGroupId(randomBytes(round % 80));
});

const parse = (groupId: string) => parseGroupId(Buffer.from(groupId, "base64"));
