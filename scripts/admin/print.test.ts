import { expect, it } from "vitest";
import { toText } from "./print.ts";

it("prints an object as lines, and a list in it as a table", () => {
  const result = {
    id: 1,
    phone: undefined,
    roles: ["a", "b"],
    devices: [{ id: "x", type: "temporary" }],
    none: [],
  };
  expect(toText(result)).toBe(
    ["id       1", "roles    a, b", "devices", "  id  type", "  x   temporary", "none     -"].join("\n"),
  );
});

it("leaves out columns without values", () => {
  expect(
    toText([
      { id: 1, team: undefined },
      { id: 22, name: "Ada" },
    ]),
  ).toBe("id  name\n1\n22  Ada");
});

it("replaces what a terminal might obey", () => {
  expect(toText([{ name: "\u001b[2JAda\n\u009b" }])).toBe("name\n\u{FFFD}[2JAda\u{FFFD}\u{FFFD}");
});

it("says so when there is nothing to print", () => {
  expect([toText(undefined), toText([])]).toEqual(["Done.", "Nothing."]);
});
