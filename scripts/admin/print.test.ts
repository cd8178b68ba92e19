import { expect, it } from "vitest";
import { printableJson } from "#lib/printable.ts";
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

it("prints an object in a column by its names and values", () => {
  const [actor, target] = [
    { kind: "user", user: "1" },
    { joined: "1 2", count: 2 },
  ];
  expect(toText([{ actor, target, none: {} }])).toBe(
    'actor             target                none\nkind=user user=1  joined="1 2" count=2  -',
  );
  expect(toText({ deep: { a: { b: 1 } } })).toBe('deep  {"a":{"b":1}}');
});

it("replaces what a terminal might obey", () => {
  expect(toText([{ name: "\u001b[2JAda\n\u009b" }])).toBe("name\n\u{FFFD}[2JAda\u{FFFD}\u{FFFD}");
});

it("prints a message when there is nothing to print", () => {
  expect([toText(undefined), toText([])]).toEqual(["Done.", "Nothing."]);
});

it("prints equivalent JSON that no terminal obeys", () => {
  const value = { name: "\u001b[2J\u009b2J\u202Etxt\u2069", next: ["é\u{1F600}", null] };
  const text = printableJson(value, 2);
  expect(text).toMatch(/^[^\p{Cc}\u{202A}-\u{202E}\u{2066}-\u{2069}]*$/mu);
  expect(text.split("\n")).toHaveLength(7);
  expect(JSON.parse(text)).toEqual(value);
});
