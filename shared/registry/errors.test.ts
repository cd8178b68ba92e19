import { readdirSync } from "node:fs";
import { expect, it } from "vitest";

const folder = new URL("errors/", import.meta.url);

it("no two domains have an error of the same name, because one would hide the other", async () => {
  const files = readdirSync(folder).filter((file) => file !== "define-errors.ts");
  const tables = await Promise.all(files.map((file) => import(new URL(file, folder).href)));
  const names = tables.flatMap((table) => Object.values(table).flatMap((rows) => Object.keys(Object(rows))));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
