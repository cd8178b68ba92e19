import { describe, expect, it } from "vitest";
import { parseSettings } from "#shared/registry/settings.ts";
import { parseRichInfo, richInfoView, withFields } from "./scim-rich-info.ts";

const settings = parseSettings({ vendor: "svc" });
const mapUrn = "urn:ietf:params:scim:schemas:extension:svc:1.0:User";
const listUrn = "urn:svc:scim:schemas:profile:1.0";

const field = (type: string, value: string) => ({ type, value });
const listOf = (...fields: unknown[]) => ({ [listUrn]: { richInfo: { version: 0, fields } } });
const parse = (user: object) => parseRichInfo({ ...user }, settings).fields;

describe("rich info in a SCIM user", () => {
  it.each([
    ["neither extension", {}, []],
    ["extensions that are null or empty", { [mapUrn]: null, [listUrn]: [] }, []],
    [
      "the object",
      { [mapUrn]: { b: "2", A: "1", c: "3" } },
      [field("A", "1"), field("b", "2"), field("c", "3")],
    ],
    [
      "the list, whose order stays",
      listOf(field("b", "2"), field("a", "1")),
      [field("b", "2"), field("a", "1")],
    ],
    [
      "the old form of the list, the first of a type",
      { [listUrn]: { richInfo: [field("b", "2"), field("B", "3")] } },
      [field("b", "2")],
    ],
    [
      "both, with a name in composed and decomposed letters",
      { [mapUrn]: { "Bu\u0308ro": "2" }, ...listOf(field("B\u00FCro", "1")) },
      [field("Bu\u0308ro", "2")],
    ],
    [
      "attributes in another case",
      { [listUrn]: { RICHINFO: { Version: 0, Fields: [{ Type: "a", VALUE: "1" }] } } },
      [field("a", "1")],
    ],
    [
      "a value that is empty, null or missing",
      { [mapUrn]: { a: "", b: null }, ...listOf(field("A", "1"), { type: "c" }) },
      [],
    ],
    [
      "both: the object's values, in the order of the list, then its other fields",
      {
        [mapUrn]: { z: "9", D: "new", y: "8" },
        ...listOf(field("t", "1"), field("d", "old"), field("y", "8")),
      },
      [field("t", "1"), field("D", "new"), field("y", "8"), field("z", "9")],
    ],
    [
      "names that are special in JavaScript",
      { [mapUrn]: JSON.parse('{"__proto__":"x","constructor":"y"}') },
      [field("__proto__", "x"), field("constructor", "y")],
    ],
  ])("is read from %s", (_case, user, fields) => {
    expect(parse(user)).toEqual(fields);
  });

  it.each([
    ["an object with a number", { [mapUrn]: { a: 1 } }],
    ["a text", { [mapUrn]: "a" }],
    ["a list without richInfo", { [listUrn]: {} }],
    ["a list of another version", { [listUrn]: { richInfo: { version: 1, fields: [] } } }],
    ["malformed fields", { [listUrn]: { richInfo: { version: 0, fields: {} } } }],
    ["a type that is listed twice", listOf(field("a", "1"), field("A", "2"))],
    ["a field without a type", listOf({ value: "1" })],
    ["a field that is null", listOf(null)],
  ])("refuses %s", (_case, user) => {
    expect(() => parse(user)).toThrow(expect.objectContaining({ error: "scim-invalid-value" }));
  });

  it("may have up to 5000 characters after both extensions are merged", () => {
    const fits = { [mapUrn]: { a: "😀".repeat(4999) }, ...listOf(field("A", "x".repeat(9000))) };
    expect(parse(fits)).toHaveLength(1);
    expect(() => parse({ [mapUrn]: { a: "x".repeat(5000) } })).toThrow(
      expect.objectContaining({ error: "rich-info-too-large" }),
    );
  });

  it("is read in linear time", () => {
    const names = Array.from({ length: 20_000 }, (_, index) => field(`n${index}`, ""));
    expect(
      parse({ ...listOf(...names), [mapUrn]: Object.fromEntries(names.map(({ type }) => [type, ""])) }),
    ).toEqual([]);
  });

  it("is shown in both extensions, and read back as it was", () => {
    const info = { version: 0, fields: [field("b", "2"), field("__proto__", "1"), field("a", "3")] };
    const view = richInfoView(info, settings);
    expect(JSON.stringify(view)).toBe(
      `{"${mapUrn}":{"b":"2","__proto__":"1","a":"3"},"${listUrn}":{"richInfo":${JSON.stringify(info)}}}`,
    );
    expect(parse(view)).toEqual(info.fields);
    expect(parse(richInfoView(undefined, settings))).toEqual([]);
  });
});

describe("fields of rich info", () => {
  const info = { version: 0, fields: [field("a", "1"), field("b", "2")] };
  const change = (...changes: { name: string; value?: string }[]) =>
    withFields(
      info,
      changes.map(({ name, value }) => ({ name, value })),
      settings,
    ).fields;

  it("are set in place, or at the end, and removed, whatever the case of their names", () => {
    expect(change({ name: "A", value: "3" })).toEqual([field("A", "3"), field("b", "2")]);
    expect(change({ name: "c", value: "3" })).toEqual([...info.fields, field("c", "3")]);
    expect(change({ name: "B" }, { name: "c" })).toEqual([field("a", "1")]);
    expect(change({ name: "A", value: "" })).toEqual([field("b", "2")]);
    expect(change({ name: "a" }, { name: "a", value: "1" })).toEqual([field("b", "2"), field("a", "1")]);
  });

  it("may be too large in between, but not as a result", () => {
    const value = "x".repeat(5000);
    expect(change({ name: "c", value }, { name: "c" })).toEqual(info.fields);
    expect(() => change({ name: "c", value })).toThrow(
      expect.objectContaining({ error: "rich-info-too-large" }),
    );
  });
});
