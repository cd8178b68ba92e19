import { describe, expect, it } from "vitest";
import { scoreOf } from "./read-window.ts";

const ada = { nameWords: ["ada", "lovelace"], handle: "ada.l" };

describe("scoring a user", () => {
  it.each([
    ["ada", 3 + 2 + 1],
    ["lovelace", 3 + 1],
    ["ad", 2 + 1],
    ["ada.", 2],
    ["love", 1],
  ])("gives %j a score of %i", (word, score) => {
    expect(scoreOf(ada, [word])).toBe(score);
  });

  it("adds up the scores of all words", () => {
    expect(scoreOf(ada, ["lovelace", "ad"])).toBe(4 + 3);
    expect(scoreOf(ada, ["ad", "love"])).toBe(3 + 1);
  });

  it("gives no score when a word is not the beginning of anything", () => {
    for (const words of [["bob"], ["ada", "bob"], ["da"], ["adal"], ["ada.lo"]]) {
      expect(scoreOf(ada, words)).toBeUndefined();
    }
  });

  it("counts the name alone for a user without a handle", () => {
    expect(scoreOf({ nameWords: ["ada"], handle: undefined }, ["ada"])).toBe(4);
    expect(scoreOf({ nameWords: ["ada"], handle: undefined }, ["ada.l"])).toBeUndefined();
  });

  it("matches beginnings of up to 30 characters, and whole words of any length", () => {
    const long = { nameWords: ["n".repeat(40)], handle: "h".repeat(40) };
    expect(scoreOf(long, ["n".repeat(30)])).toBe(1);
    expect(scoreOf(long, ["n".repeat(31)])).toBeUndefined();
    expect(scoreOf(long, ["n".repeat(40)])).toBe(3 + 1);
    expect(scoreOf(long, ["h".repeat(31)])).toBeUndefined();
    expect(scoreOf(long, ["h".repeat(40)])).toBe(2);
  });
});
