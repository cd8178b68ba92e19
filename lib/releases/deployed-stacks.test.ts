import { describe, expect, it } from "vitest";
import { isNameOf } from "./deployed-stacks.ts";

describe("a stack", () => {
  it("is that of the stage with the longest matching name", () => {
    expect(isNameOf("emulator", "parley-emulator-data")).toBe(true);
    expect(isNameOf("emulator", "parley-emulator-public-routes")).toBe(true);
    expect(isNameOf("emulator-edge", "parley-emulator-edge-data")).toBe(true);
    expect(isNameOf("emulator", "parley-emulator-edge-data")).toBe(false);
    expect(isNameOf("emulator", "parley-emulators-data")).toBe(false);
    expect(isNameOf("emulator-edge", "parley-emulator-data")).toBe(false);
  });
});
