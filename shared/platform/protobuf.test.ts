import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { describe, expect, it } from "vitest";
import {
  bool,
  bytes,
  decodeMessage,
  enumeration,
  message,
  optional,
  repeated,
  required,
  string,
  toProtoText,
  uint64,
} from "./protobuf.ts";

const point = message("Point", { x: required(1, uint64) });
const drawing = message(
  "Drawing",
  {
    name: required(1, string),
    points: repeated(2, point),
    blob: optional(3, bytes),
    isDone: optional(4, bool),
    kind: optional(5, enumeration("Kind", { PLAIN: 1 })),
    one: optional(6, point),
    other: optional(7, bool),
  },
  { only: ["one", "other"] },
);

type Write = (writer: BinaryWriter) => BinaryWriter;
const encode = (...writes: Write[]) =>
  writes.reduce((writer, write) => write(writer), new BinaryWriter()).finish();
const decode = (...writes: Write[]) => decodeMessage(drawing, encode(...writes));

const name: Write = (writer) => writer.tag(1, WireType.LengthDelimited).string("n");
const pointAt =
  (x: bigint | number, field = 2): Write =>
  (writer) =>
    writer.tag(field, WireType.LengthDelimited).fork().tag(1, WireType.Varint).uint64(BigInt(x)).join();

describe("a message in protobuf", () => {
  it("is decoded with all kinds of fields, in any order", () => {
    const value = decode(
      pointAt(2n ** 64n - 1n),
      (writer) => writer.tag(3, WireType.LengthDelimited).bytes(Buffer.from([1, 2])),
      (writer) => writer.tag(4, WireType.Varint).bool(true),
      name,
      (writer) => writer.tag(5, WireType.Varint).int32(-1),
      pointAt(0),
    );
    expect({ ...value, blob: [...(value.blob ?? [])] }).toEqual({
      name: "n",
      points: [{ x: 2n ** 64n - 1n }, { x: 0n }],
      blob: [1, 2],
      isDone: true,
      kind: -1,
    });
  });

  it("has empty lists for repeated fields that are absent, and nothing for optional ones", () => {
    expect(decode(name)).toEqual({ name: "n", points: [] });
  });

  it("keeps the last value of a field, and the last field of a oneof", () => {
    const other: Write = (writer) => writer.tag(7, WireType.Varint).bool(true);
    const renamed: Write = (writer) => writer.tag(1, WireType.LengthDelimited).string("m");
    expect(decode(name, renamed)).toMatchObject({ name: "m" });
    expect(decode(name, other, pointAt(1, 6))).toEqual({ name: "n", points: [], one: { x: 1n } });
    expect(decode(name, pointAt(1, 6), other)).toEqual({ name: "n", points: [], other: true });
  });

  it("is decoded without unknown fields, groups, and fields of another wire type", () => {
    const unknown: Write[] = [
      (writer) => writer.tag(9, WireType.Bit64).fixed64(1n),
      (writer) => writer.tag(10, WireType.Bit32).fixed32(1),
      (writer) => writer.tag(11, WireType.StartGroup).tag(1, WireType.Varint).uint32(1),
      (writer) => writer.tag(11, WireType.EndGroup),
      (writer) => writer.tag(1, WireType.Varint).uint32(1),
      (writer) => writer.tag(536_870_911, WireType.LengthDelimited).string("x"),
    ];
    expect(decode(...unknown, name, ...unknown)).toEqual({ name: "n", points: [] });
  });

  const text = (...codes: number[]) => Buffer.from(codes);
  it.each([
    ["a required field is missing", encode(pointAt(1))],
    ["a required field of a part is missing", encode(name, (writer) => writer.tag(2, 2).bytes(text()))],
    ["a field has no value", text(0x0a)],
    ["a length is beyond the end", text(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f)],
    ["a part is longer than what holds it", text(0x0a, 1, 0x61, 0x12, 3, 0x08, 0x01)],
    [
      "a field ends after the part that holds it",
      text(0x0a, 1, 0x61, 0x12, 2, 0x1a, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    ],
    ["a number is longer than 64 bits", text(0x0a, 1, 0x61, 0x20, ...Array(11).fill(0xff), 1)],
    ["a number does not end", text(0x0a, 1, 0x61, 0x20, 0xff)],
    ["a field number is 0", text(0x00, 1)],
    ["a wire type is unknown", text(0x0a, 1, 0x61, 0x1f, 0x8b)],
    ["a group does not end", text(0x0a, 1, 0x61, 0x5b)],
    ["a group ends that has not begun", text(0x0a, 1, 0x61, 0x5c)],
    ["groups are nested without end", text(0x0a, 1, 0x61, ...Array(100_000).fill(0x5b))],
  ])("is refused when %s", (_, encoded) => {
    expect(() => decodeMessage(drawing, encoded)).toThrow();
  });

  it("is refused when it consists of too many tiny parts", () => {
    const empty = [0x12, 2, 0x08, 1];
    const partsOf = (count: number) => Buffer.from([0x0a, 0, ...Array(count).fill(empty).flat()]);
    expect(decodeMessage(drawing, partsOf(200_000)).points).toHaveLength(200_000);
    expect(() => decodeMessage(drawing, partsOf(250_000))).toThrow("more than 250000 messages");
    const fieldsOf = (count: number) => Buffer.from([0x0a, 0, ...Array(count).fill([0x7a, 0]).flat()]);
    expect(decodeMessage(drawing, fieldsOf(499_999)).points).toEqual([]);
    expect(() => decodeMessage(drawing, fieldsOf(500_000))).toThrow("more than 500000 fields");
  });

  it("survives hostile input: random bytes and random changes are decoded or refused", () => {
    const valid = encode(name, pointAt(300), pointAt(1, 6));
    for (let seed = 1; seed < 5000; seed++) {
      const changed = Buffer.from(valid);
      for (let change = 0; change < 3; change++)
        changed[(seed * 7919 * (change + 1)) % changed.length] = (seed * 104_729 * (change + 3)) % 256;
      try {
        decodeMessage(drawing, changed);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
        expect(error).not.toBeInstanceOf(TypeError);
      }
    }
  });

  it("is written as in a .proto file, with everything that it contains", () => {
    expect(toProtoText(drawing)).toBe(`syntax = "proto2";
message Drawing {
  required string name = 1;
  repeated Point points = 2;
  optional bytes blob = 3;
  optional bool isDone = 4;
  optional Kind kind = 5;
  oneof only {
    Point one = 6;
    bool other = 7;
  }
}
message Point {
  required uint64 x = 1;
}
enum Kind {
  PLAIN = 1;
}`);
  });
});
