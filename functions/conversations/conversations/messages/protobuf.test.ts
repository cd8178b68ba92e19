import { describe, expect, it } from "vitest";
import { sampleProtobuf } from "../../../../test/support/otr-messages.ts";
import { newOtrMessageBody, qualifiedNewOtrMessageBody } from "./protobuf.ts";

describe.each([newOtrMessageBody, qualifiedNewOtrMessageBody])("a body that holds $message.name", (body) => {
  const sample = sampleProtobuf[body.message.name] ?? new Uint8Array();

  it("is decoded", () => {
    expect(body.decode(sample)).toMatchObject({ sender: "1", recipients: {} });
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["a tag without a field", Buffer.from([0])],
    ["a field without its length", Buffer.from([0x0a])],
    ["a length beyond the end", Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f])],
    ["nested groups", Buffer.alloc(60_000, 0x0b)],
    ["an endless number", Buffer.alloc(60_000, 0xff)],
    ["JSON", Buffer.from('{"sender":"1","recipients":{}}')],
    ["a truncated message", sample.subarray(0, -1)],
  ])("is refused when it holds another message: %s", (_, bytes) => {
    expect(() => body.decode(bytes)).toThrow();
  });
});
