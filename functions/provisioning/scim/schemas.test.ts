import { describe, expect, it } from "vitest";
import * as z from "zod";
import { attributeTest } from "./attribute-selection.ts";
import { attributeNormalizer, attributeSelection, paging, searchRequest } from "./schemas.ts";

const query = z.object(paging);
const search = searchRequest("TestSearch", "");
const manyDigits = "9".repeat(400);
const lastIndex = 2 ** 31 - 1;

const rows: [startIndex: unknown, count: unknown, page: [number, number]][] = [
  [undefined, undefined, [1, 100]],
  ["", "", [1, 100]],
  ["7", "20", [7, 20]],
  ["0", "0", [1, 0]],
  ["-3", "-1", [1, 0]],
  ["1000000000000", "1000000000000", [lastIndex, 100]],
  ["1e12", "1e12", [lastIndex, 100]],
  [manyDigits, manyDigits, [lastIndex, 100]],
  [`-${manyDigits}`, `-${manyDigits}`, [1, 0]],
];

describe("the numbers of a page", () => {
  it.each(rows)("are accepted and clamped: %j and %j", (startIndex, count, page) => {
    const parsed = query.parse({ startIndex, count });
    expect([parsed.startIndex, parsed.count]).toEqual(page);
    const searched = search.parse({ STARTINDEX: startIndex, Count: count });
    expect([searched.startIndex, searched.count]).toEqual(page);
  });

  it("may be JSON numbers in a search by POST", () => {
    expect(search.parse({ startIndex: 1e12, count: -1e300 })).toMatchObject({
      startIndex: lastIndex,
      count: 0,
    });
    expect(search.parse({ startIndex: 2.5, count: null })).toMatchObject({ startIndex: 2, count: 100 });
  });

  it.each(["x", "1.5", "0x10", "--1", "1e", "NaN", "Infinity"])("cannot be %s", (text) => {
    expect(query.safeParse({ startIndex: text }).success).toBe(false);
    expect(search.safeParse({ count: text }).success).toBe(false);
  });
});

it("takes the attributes of a search by POST as a list or as a text", () => {
  const expected = { attributes: ["userName", "id"] };
  expect(search.parse({ attributes: "userName, id" })).toMatchObject(expected);
  expect(search.parse({ ATTRIBUTES: ["userName", "id"], sortBy: "id" })).toMatchObject(expected);
});

describe("the attributes that a client selects", () => {
  const selected = (query: Record<string, string>) =>
    ["id", "userName", "roles"].filter(attributeTest(z.object(attributeSelection).parse(query)));

  it.each<[Record<string, string>, string[]]>([
    [{}, ["id", "userName", "roles"]],
    [{ attributes: " USERNAME ," }, ["id", "userName"]],
    [{ excludedAttributes: "roles,id" }, ["id", "userName"]],
    [{ attributes: "", excludedAttributes: "" }, ["id", "userName", "roles"]],
    [{ attributes: " , ", excludedAttributes: "roles" }, ["id", "userName"]],
  ])("are all but those that %j leaves out", (query, names) => {
    expect(selected(query)).toEqual(names);
  });

  it("are all when a search by POST has an empty text for them", () => {
    expect(search.parse({ attributes: "" }).attributes).toBeUndefined();
  });
});

it("null and empty lists of a directory count as absent, also within lists", () => {
  const normalize = attributeNormalizer(["emails", "value", "type", "roles", "title"]);
  const sent = { TITLE: null, Roles: [null], emails: [null, { value: "a", type: null }], other: 1 };
  const context = { addIssue: () => undefined } as unknown as z.core.$RefinementCtx;
  expect(normalize(sent, context)).toEqual({ roles: [], emails: [{ value: "a" }] });
});
