import { describe, expect, it } from "vitest";
import { canonicalDeviceId, deviceId } from "./device-id.ts";

describe("the canonical form of a device id", () => {
  it.each([
    ["c0ffee", "c0ffee"],
    ["0000000000c0ffee", "c0ffee"],
    ["00C0FFEE", "c0ffee"],
    [`${"0".repeat(48)}ffffffffffffffff`, "ffffffffffffffff"],
    ["0000000000000000", "0"],
    ["0", "0"],
  ])("of %s is %s", (text, canonical) => {
    expect(deviceId.parse(text)).toBe(canonical);
    expect(canonicalDeviceId(canonical)).toBe(canonical);
  });

  it.each(["10000000000000000", "0x1", "c0ffee ", "c0ffeg", "-1", "01\n"])("leaves %j as it is", (text) => {
    expect(canonicalDeviceId(text)).toBe(text);
  });

  it("is not computed for texts that are too long", () => {
    expect(deviceId.safeParse("0".repeat(65)).success).toBe(false);
    expect(deviceId.safeParse("").success).toBe(false);
  });
});
