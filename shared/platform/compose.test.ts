import { expect, it } from "vitest";
import { compose } from "./compose.ts";

const apart = "e\u0301";

it.each([
  ["a short text", apart, "é"],
  [
    "a short text with any number of marks",
    `e${"\u0316\u0301".repeat(500)}`,
    `é${"\u0316".repeat(500)}${"\u0301".repeat(499)}`,
  ],
  ["a long text", apart.repeat(10_000), "é".repeat(10_000)],
  [
    "a long text with 32 marks upon each letter",
    `e${"\u0301".repeat(32)}`.repeat(99),
    `é${"\u0301".repeat(31)}`.repeat(99),
  ],
])("the letters of %s are composed", (_, text, composed) => {
  expect(compose(text)).toBe(composed);
});

it("a long text with endless marks stays as it is", () => {
  const text = `${apart}${"\u0316\u0301".repeat(10_000)}`;
  expect(compose(text)).toBe(text);
});
