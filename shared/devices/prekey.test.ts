import { encode } from "cborg";
import { describe, expect, it } from "vitest";
import { lastPrekey as newLastPrekey, newPrekey } from "../../test/support/prekeys.ts";
import { deviceIdOf, lastPrekey, prekey } from "./prekey.ts";

const isAccepted = (value: unknown) => prekey.safeParse(value).success;
const encoded = (value: unknown) => Buffer.from(encode(value)).toString("base64");

describe("an uploaded prekey", () => {
  it("is accepted when its key contains its id", () => {
    expect([0, 1, 255, 256, 65_535].map(newPrekey).map(isAccepted)).not.toContain(false);
  });

  it("is accepted in any readable encoding that contains its id", () => {
    expect(isAccepted({ id: 7, key: encoded(new Map([[1, 7]])) })).toBe(true);
    // Indefinite length, and the id in more bytes than it needs.
    expect(isAccepted({ id: 7, key: Buffer.from("bf01190007ff", "hex").toString("base64") })).toBe(true);
  });

  it("is refused when its key contains another id, or is not such a map, CBOR or base64", () => {
    const { key } = newPrekey(5);
    const cut = Buffer.from(key, "base64").subarray(0, -1).toString("base64");
    const long = Buffer.from("9b001fffffffffffff", "hex").toString("base64");
    const nested = Buffer.alloc(700, 0x81).toString("base64");
    const others = [encoded({ 1: 5 }), encoded([0, 5]), encoded(5), encoded(new Map([[1, "5"]]))];
    const bad = [...others, cut, long, nested, `${key}AAAA`, key.slice(0, -1), `${key}!`, "", "qqqq"];
    expect(bad.filter((text) => isAccepted({ id: 5, key: text }))).toEqual([]);
    expect(isAccepted({ id: 6, key })).toBe(false);
  });

  it("is refused when its id or key is out of bounds or of another type", () => {
    const { key } = newPrekey(5);
    const huge = encoded(
      new Map<number, unknown>([
        [1, 5],
        [2, new Uint8Array(1024)],
      ]),
    );
    const bad = [
      { id: -1, key },
      { id: 5.5, key },
      { id: "5", key },
      { id: 65_536, key },
      { id: 5 },
      { id: 5, key: huge },
      key,
      null,
    ];
    expect(bad.filter(isAccepted)).toEqual([]);
  });
});

it("a last-resort prekey is recognised by its id", () => {
  expect(lastPrekey.safeParse(newLastPrekey()).success).toBe(true);
  expect(lastPrekey.safeParse(newPrekey(65_534)).success).toBe(false);
});

it("the id of a device derives from its last-resort key, without leading zeros", () => {
  expect(deviceIdOf({ id: 65_535, key: "abc" })).toBe("ba7816bf8f01cfea");
  const ids = Array.from({ length: 200 }, (_, index) => deviceIdOf({ id: 65_535, key: String(index) }));
  expect(ids.filter((id) => !/^[1-9a-f][0-9a-f]{0,15}$/.test(id))).toEqual([]);
  expect(ids.some((id) => id.length < 16)).toBe(true);
});
