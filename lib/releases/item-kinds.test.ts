import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { families } from "#functions/families.ts";
import { parseExamples } from "#shared/platform/data/stored-item.ts";
import { tables } from "#shared/registry/tables.ts";
import { closedObjectsIn } from "../../test/support/stored-shapes.ts";
import { allItemKinds, kindOf, nameOf } from "./item-kinds.ts";

const root = join(import.meta.dirname, "../..");
const kinds = await allItemKinds();

it("every table has kinds of items with distinct names", () => {
  const names = kinds.map(nameOf);
  expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([]);
  const { length: keyAttributes } = ["partition", "sort"];
  for (const [name, spec] of Object.entries(tables)) {
    const ofTable = kinds.filter(({ table }) => table === name);
    expect({ name, hasKinds: ofTable.length > 0 }).toEqual({ name, hasKinds: true });
    const keys = "sortKey" in spec ? keyAttributes : 1;
    expect(ofTable.filter(({ key }) => key.length !== keys).map(nameOf)).toEqual([]);
  }
});

it.each(kinds.map((kind) => [nameOf(kind), kind] as const))(
  "%s keeps fields that it does not know",
  (_, { schema }) => {
    // If this fails, declare the object with storedObject.
    expect(closedObjectsIn(schema)).toEqual([]);
  },
);

it("the start of a function has a valid example of each kind that first requests read", () => {
  const first = families.flatMap(({ firstReads = [], tables = {} }) =>
    firstReads.map((name) => ({ name, isRead: (name.split("/").shift() as keyof typeof tables) in tables })),
  );
  expect(first.filter(({ isRead }) => !isRead)).toEqual([]);
  const used = new Set(first.map(({ name }) => name as string));
  const examples = kinds.filter(({ example }) => example !== undefined);
  expect(examples.map(nameOf)).toEqual([...used].sort());
  expect(() => parseExamples([...used])).not.toThrow();
});

it("stores parse items by declared kinds only", () => {
  const files = globSync("shared/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] });
  const stores = files.filter((file) => readFileSync(join(root, file), "utf8").includes("new Table("));
  expect(stores.length).toBeGreaterThan(40);
  const undeclared = stores.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const parsed = [...text.matchAll(/\b(\w+)\.(?:parse|safeParse|parseOrAbsent)\(/g)].map(
      ([, name = ""]) => name,
    );
    const names = parsed.filter((name) => !known.has(name) && !declared.has(name));
    return names.map((name) => `${file}: ${name}`);
  });
  // If this fails, declare the kind with storedItem, next to its schema.
  expect(undeclared).toEqual([]);
  expect(
    stores.filter((file) => /\bz\.(strict)?[oO]bject\(/.test(readFileSync(join(root, file), "utf8"))),
  ).toEqual([]);
});

/**
 * Other objects with such a method. The content of a directory entry is text, which each change of an account writes
 * again.
 */
const known = new Set(["JSON", "Date", "URL", "directoryEntry"]);

/** Names of constants that are kinds of items. */
const declared = new Set(
  globSync("shared/**/*.ts", { cwd: root }).flatMap((file) =>
    [
      ...readFileSync(join(root, file), "utf8").matchAll(/const (\w+) = (?:new StoredItem|storedItem)\(/g),
    ].map(([, name = ""]) => name),
  ),
);

it("an item belongs to the kind whose key matches it most specifically", () => {
  const kindsOf = [
    { pk: "user#1", sk: "account" },
    { pk: "email#a@example.com", sk: "claim" },
    { pk: "email#a@example.com", sk: "block" },
    { pk: "email#a@example.com", sk: "password-checks#192.0.2.1" },
    { pk: "saml#hash", sk: "hash" },
    { pk: "other#1", sk: "other" },
  ].map((item) => kindOf("accounts", item)?.kind);
  expect(kindsOf).toEqual(["account", "claim", "block", "password-checks", "claim", undefined]);
});
