import { afterEach, describe, expect, it, vi } from "vitest";
import { CommandError } from "./command-error.ts";
import { toInstant } from "./instant.ts";

describe("a time that an operator writes", () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    ["2026-11-26", "2026-11-26T00:00:00.000Z"],
    ["2026-11-26T20:00", "2026-11-26T20:00:00.000Z"],
    ["2026-11-26T20:00:30.5", "2026-11-26T20:00:30.500Z"],
    ["2026-11-26T20:00Z", "2026-11-26T20:00:00.000Z"],
    ["2026-11-26T20:00+01:00", "2026-11-26T19:00:00.000Z"],
    ["2028-02-29", "2028-02-29T00:00:00.000Z"],
  ])("is in UTC unless it names another zone: %s", (text, instant) => {
    vi.stubEnv("TZ", "America/New_York");
    expect(toInstant(text)).toBe(instant);
  });

  it.each(["yesterday", "", "26.11.2026", "2026-13-01", "2026-02-30", "Nov 26 2026"])(
    "is refused: %s",
    (text) => {
      expect(() => toInstant(text)).toThrow(CommandError);
    },
  );
});
