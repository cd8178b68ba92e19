import { describe, expect, it } from "vitest";
import { RateLimitedError } from "#shared/platform/rate-limit/token-bucket.ts";
import { UploadPlaces } from "./upload-places.ts";

/** Take places until one is refused. @returns their number */
function takenBy(places: UploadPlaces, uploader: (index: number) => { payerId: string; sourceIp: string }) {
  for (let count = 0; count < 1000; count++) {
    try {
      places.take(uploader(count));
    } catch (error) {
      expect(error).toBeInstanceOf(RateLimitedError);
      return count;
    }
  }
  return Number.POSITIVE_INFINITY;
}
const ada = (index: number) => ({ payerId: "ada", sourceIp: `192.0.2.${index}` });
const fromOneNetwork = (index: number) => ({ payerId: `user ${index}`, sourceIp: "198.51.100.1" });
const fromOneSite = (index: number) => ({ payerId: `user ${index}`, sourceIp: `2001:db8:0:${index}::1` });

describe("the places of a relay", () => {
  it.each([
    { most: 204, payer: 10, network: 102 },
    { most: 51, payer: 2, network: 25 },
    { most: 1, payer: 1, network: 1 },
  ])("of $most are $payer for a person, and $network for a network", ({ most, payer, network }) => {
    expect(takenBy(new UploadPlaces(most), ada)).toBe(payer);
    expect(takenBy(new UploadPlaces(most), fromOneNetwork)).toBe(network);
    expect(takenBy(new UploadPlaces(most), fromOneSite)).toBe(network);
  });

  it("are refused to nobody else", () => {
    const places = new UploadPlaces(40);
    expect(takenBy(places, ada)).toBe(2);
    expect(takenBy(places, fromOneNetwork)).toBe(20);
    expect(() => places.take({ payerId: "bob", sourceIp: "192.0.2.1" })).not.toThrow();
  });

  it("are free again when the upload ends", () => {
    const places = new UploadPlaces(1);
    for (let round = 0; round < 3; round++) places.take(ada(0))();
    expect(takenBy(places, ada)).toBe(1);
  });

  it("have no limit in a function", () => {
    expect(takenBy(new UploadPlaces(), () => ada(0))).toBe(Number.POSITIVE_INFINITY);
  });
});
