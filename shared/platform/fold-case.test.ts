import { expect, it } from "vitest";
import { foldCase } from "./fold-case.ts";

it.each(["Ünïted", "АНДРЕЙ", "J\u030C", "\u01F0", "한글", "Å", "\u212B", "が"])(
  "folds composed and decomposed spellings of %s to one text",
  (text) => {
    const spellings = [text, text.toUpperCase(), text.toLowerCase()].flatMap((one) => [
      one.normalize("NFC"),
      one.normalize("NFD"),
    ]);
    expect(new Set(spellings.map(foldCase)).size).toBe(1);
  },
);
