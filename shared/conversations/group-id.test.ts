import { randomBytes, randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { newGroupId, parseGroupId } from "./group-id.ts";

it("tells the conversation from the id of its group", () => {
  const conversationId = randomUUID();
  for (const type of ["regular", "self", "one-to-one"] as const) {
    const reference = { conversationId, type, generation: 7, domain: "example.com" };
    expect(parseGroupId(Buffer.from(newGroupId(reference), "base64"))).toEqual(reference);
  }
});

it("finds no conversation in other bytes", () => {
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
  ];
  expect(bad.map(parseGroupId)).toEqual(bad.map(() => undefined));
  for (let round = 0; round < 1000; round++) parseGroupId(randomBytes(round % 80));
});
