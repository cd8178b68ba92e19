import { describe, expect, it } from "vitest";
import { toRawJson } from "./exact-json.ts";
import { fromStored, int64, parseInt64Json, toBigInt, toInt64, toStored, uint64 } from "./int64.ts";

const parse = (text: string) => parseInt64Json(text, JSON.parse);
const limits = ["9223372036854775807", "-9223372036854775808", "9007199254740993", "9007199254740991", "0"];

describe("an integer of 64 bits", () => {
  it.each(limits)("is written as it was read: %s", (digits) => {
    const text = `{"n":[${digits}]}`;
    expect(JSON.stringify(parse(text))).toBe(text);
    expect(int64().safeParse(parse(digits)).success).toBe(true);
  });

  it.each([
    ["9.2e18", "9200000000000000000"],
    ["9223372036854775807.00", "9223372036854775807"],
    ["1E+18", "1000000000000000000"],
    ["-92233720368547758.08e2", "-9223372036854775808"],
    ["1.5e3", "1500"],
  ])("may be written as %s", (text, digits) => {
    expect(JSON.stringify(parse(text))).toBe(digits);
  });

  it.each(["9223372036854775808", "-9223372036854775809", "1.5", "1e300", "1e19", '"1"', "null", "{}"])(
    "is not %s",
    (text) => {
      expect(int64().safeParse(parse(text)).success).toBe(false);
    },
  );

  it("may be unsigned", () => {
    expect(uint64().safeParse(parse("18446744073709551615")).success).toBe(true);
    for (const text of ["18446744073709551616", "-1"]) {
      expect(uint64().safeParse(parse(text)).success).toBe(false);
    }
  });

  it.each(limits)("is stored and read back: %s", (digits) => {
    const value = toInt64(BigInt(digits));
    const stored = toStored(value);
    expect(Number.isSafeInteger(stored.number)).toBe(true);
    expect(toBigInt(fromStored(stored.number, stored.digits))).toBe(BigInt(digits));
  });

  it("is the number from a version that did not store digits", () => {
    const { digits } = toStored(toRawJson("9223372036854775807"));
    expect(fromStored(1000, digits)).toBe(1000);
  });
});
