import { describe, expect, it } from "vitest";
import type { FrameKind } from "#shared/events/sockets/frame-limits.ts";
import { FloodWatch, type TimedFrame } from "./handler.ts";

const start = Date.UTC(2026, 0, 1);

const framesOf = (
  socketId: string,
  count: number,
  { kind = "pings" as FrameKind, at = start, every = 0 } = {},
): TimedFrame[] => Array.from({ length: count }, (_, index) => ({ socketId, kind, at: at + index * every }));

describe("the watch for floods", () => {
  it("finds the sockets that flood in one batch, and how much they sent", () => {
    const frames = [
      ...framesOf("a", 2000),
      ...framesOf("b", 20),
      ...framesOf("c", 500, { kind: "acknowledgements" }),
      ...framesOf("d", 2001, { kind: "acknowledgements" }),
    ];
    expect(new FloodWatch().findFloods(frames)).toEqual(
      new Map([
        ["a", 2000],
        ["d", 2001],
      ]),
    );
  });

  it("finds a flood that is spread over batches", () => {
    const watch = new FloodWatch();
    const found = Array.from({ length: 10 }, (_, second) =>
      watch.findFloods(framesOf("a", 5, { at: start + second * 1000, every: 200 })).has("a"),
    );
    expect(found.indexOf(true)).toBeGreaterThan(3);
    expect(found.at(-1)).toBe(true);
  });

  it("finds a flood whose batches overlap in time", () => {
    const watch = new FloodWatch();
    const batch = framesOf("a", 8, { every: 100 });
    expect(watch.findFloods(batch).size + watch.findFloods(batch).size).toBe(0);
    expect(watch.findFloods(batch)).toEqual(new Map([["a", 8]]));
  });

  it("never finds clients that ping every 20 seconds, for however long", () => {
    const watch = new FloodWatch();
    for (let round = 0; round < 1000; round++) {
      const at = start + round * 20_000;
      expect(watch.findFloods([...framesOf("a", 1, { at }), ...framesOf("b", 1, { at })]).size).toBe(0);
    }
  });

  it("finds the flood among more sockets than it remembers", () => {
    const crowd = Array.from({ length: 100_000 }, (_, index) => ({
      socketId: `s${index}`,
      kind: "pings" as const,
      at: start,
    }));
    expect(new FloodWatch().findFloods([...crowd, ...framesOf("a", 30)])).toEqual(new Map([["a", 30]]));
  });

  it("finds nothing in a batch without frames", () => {
    expect(new FloodWatch().findFloods([]).size).toBe(0);
  });
});
