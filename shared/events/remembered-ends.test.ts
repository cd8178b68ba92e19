import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { RememberedEnds } from "./remembered-ends.ts";

const day = 86_400;
const end = (position: number, expiresAt = day) => ({ position, id: randomUUID(), expiresAt });

describe("remembered ends of logs", () => {
  it("are forgotten from the one that was used least recently when they become too many", () => {
    const ends = new RememberedEnds({ clock: () => 0, max: 2 });
    ends.set("a", end(1));
    ends.set("b", end(1));
    ends.set("a", end(2));
    ends.set("c", end(1));
    expect(["a", "b", "c"].map((stream) => ends.get(stream)?.position)).toEqual([2, undefined, 1]);
  });

  it("are not used from a minute before their entries expire", () => {
    let now = 0;
    const ends = new RememberedEnds({ clock: () => now });
    ends.set("a", end(1));
    now = (day - 61) * 1000;
    expect(ends.get("a")?.position).toBe(1);
    now = (day - 60) * 1000;
    expect(ends.get("a")).toBeUndefined();
  });

  it("are reliable as long as few are behind", () => {
    const ends = new RememberedEnds({ clock: () => 0 });
    const note = (count: number, outcome: "up-to-date" | "behind") => {
      for (let index = 0; index < count; index++) ends.note(outcome);
      return ends.areReliable;
    };
    expect(note(3, "behind")).toBe(true);
    expect(note(30, "behind")).toBe(false);
    expect(note(30, "up-to-date")).toBe(true);
  });
});
