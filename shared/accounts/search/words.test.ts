import { describe, expect, it } from "vitest";
import { toWords } from "./words.ts";

describe("the words of a text", () => {
  it.each([
    ["Ada Lovelace", ["ada", "lovelace"]],
    ["  Zoë\tMÜLLER\u00a0Łukasz\u3000Strauß ", ["zoe", "muller", "lukasz", "strauss"]],
    ["Zoe\u0308", ["zoe"]],
    ["Иван Петров", ["ivan", "petrov"]],
    ["王小明 محمد", ["wangxiaoming", "mhmd"]],
    ["O’Brien-Smith (Jr.)", ["o'brien-smith", "(jr.)"]],
    ["½ ﬁ Ⅷ", ["1/2", "fi", "viii"]],
    ["🎉 party", [":tada:", "party"]],
    ["@ada @@ @", ["ada"]],
    ["ada Ada ADA", ["ada"]],
    ["", []],
    [" \n\u0000\u200b\u007f ", []],
  ])("in %j are %j", (text, words) => {
    expect(toWords(text)).toEqual(words);
  });

  it.each(["Андрей Ёлкин", "Ἑλένη", "がぎぐ", "한글", "ज़ोया", "ذئب", "Zoë"])(
    "in %s are the same in composed and decomposed letters",
    (text) => {
      expect(toWords(text.normalize("NFD"))).toEqual(toWords(text.normalize("NFC")));
    },
  );

  it("of a prefix in decomposed letters are prefixes of the words of the whole text", () => {
    const [whole] = toWords("Андрей");
    const [prefix] = toWords("Андрей".normalize("NFD"));
    expect(whole).toBe(prefix);
    expect(whole).toBe("andrey");
  });

  it("are cut to 256 characters", () => {
    const [word] = toWords("🫱🏿‍🫲🏻".repeat(32));
    expect(word).toHaveLength(256);
  });
});
