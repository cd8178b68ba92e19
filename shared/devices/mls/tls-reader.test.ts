import { describe, expect, it } from "vitest";
import { encodeOpaque, MalformedStructureError, TlsReader } from "./tls-reader.ts";

const readerOf = (hex: string) => new TlsReader(Buffer.from(hex, "hex"));
const opaqueOf = (hex: string) => readerOf(hex).opaque().toString("hex");

describe("a length", () => {
  it("has one, two or four bytes, as in the examples of RFC 9420 §2.1.2", () => {
    const content = Buffer.alloc(20_000, 7);
    const read = (prefix: string) =>
      new TlsReader(Buffer.concat([Buffer.from(prefix, "hex"), content])).opaque().length;
    expect(read("25")).toBe(37);
    expect(read("7bbd")).toBe(15_293);
    expect(read("80004e20")).toBe(20_000);
    expect(() => read("9d7f3e7d")).toThrow("fewer bytes than there should be");
  });

  it("is refused in more bytes than it needs, or in eight", () => {
    for (const hex of ["400141", `403f${"41".repeat(63)}`, "8000000141", `80003fff${"41".repeat(16_383)}`])
      expect(() => opaqueOf(hex)).toThrow("a length in too many bytes");
    expect(() => opaqueOf("c000000000000001ff")).toThrow("not a length");
  });

  it("is written as it is read", () => {
    for (const length of [0, 1, 63, 64, 16_383, 16_384, 70_000]) {
      const value = Buffer.alloc(length, 1);
      const encoded = encodeOpaque(value);
      const reader = new TlsReader(encoded);
      expect(reader.opaque().equals(value)).toBe(true);
      reader.end();
      expect(encoded.length - length).toBe(length < 64 ? 1 : length < 16_384 ? 2 : 4);
    }
  });
});

describe("a reader", () => {
  it("reads numbers, bytes and lists in sequence", () => {
    const reader = readerOf("ff0102000000000000000a02abcd0400010002");
    expect(reader.uint8()).toBe(255);
    expect(reader.uint16()).toBe(0x0102);
    expect(reader.uint64()).toBe(10n);
    expect(reader.opaque().toString("hex")).toBe("abcd");
    expect(reader.vector((item) => item.uint16())).toEqual([1, 2]);
    expect(reader.since(11).toString("hex")).toBe("02abcd0400010002");
    reader.end();
  });

  it("never reads beyond the end, not even within a list", () => {
    const reads: ((reader: TlsReader) => unknown)[] = [
      (reader) => reader.uint8(),
      (reader) => reader.uint16(),
      (reader) => reader.uint64(),
      (reader) => reader.opaque(),
      (reader) => reader.vector((item) => item.uint8()),
    ];
    for (const read of reads) expect(() => read(readerOf(""))).toThrow(MalformedStructureError);
    expect(() => readerOf("02aa").opaque()).toThrow(MalformedStructureError);
    expect(() => readerOf("0300010002").vector((item) => item.uint16())).toThrow(MalformedStructureError);
    expect(() => readerOf("01020304").vector((item) => item.opaque())).toThrow(MalformedStructureError);
  });

  it("passes over values and lists as it reads them", () => {
    const reader = readerOf("02abcd0400010002ff");
    reader.skipOpaque();
    reader.skipVector((item) => item.uint16());
    expect(reader.uint8()).toBe(255);
    expect(() => readerOf("02aa").skipOpaque()).toThrow(MalformedStructureError);
    expect(() => readerOf("0300010002").skipVector((item) => item.uint16())).toThrow(MalformedStructureError);
  });

  it("refuses a list of more items than it may have", () => {
    expect(readerOf("020102").vector((item) => item.uint8(), 2)).toEqual([1, 2]);
    expect(() => readerOf("03010203").vector((item) => item.uint8(), 2)).toThrow("more than 2 items");
  });

  it("refuses leftover bytes", () => {
    expect(() => readerOf("00").end()).toThrow("more bytes than there should be");
  });
});
