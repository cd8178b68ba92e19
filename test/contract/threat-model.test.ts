import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const page = readFileSync("docs/threat-model.md", "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("|") && !/^\| (could|---) /.test(line));

/** A link to a file of tests, with a title in it. */
const namedTest = /\]\(\.\.\/([^)]+\.test\.ts)\) "([^"]+)"/g;
const named = rows.flatMap((row) =>
  [...row.matchAll(namedTest)].map(([, file = "", title = ""]) => ({ file, title })),
);

/** The file without what is commented out. */
const sourceOf = (file: string) => readFileSync(file, "utf8").replaceAll(/^\s*(\/\/|\*).*$/gm, "");

/** Whether tests or a group of them have the title: `it("…"`, `describe.concurrent("…"`, `it.each(…)("…"`. */
function hasTest({ file, title }: { readonly file: string; readonly title: string }): boolean {
  const literal = title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const call = /(?:\b(?:it|test|describe|race|overtaking)(?:\.(?!skip|todo)\w+)*|[)`])\(\s*/.source;
  return existsSync(file) && new RegExp(`${call}(["'\`])${literal}\\1`).test(sourceOf(file));
}

describe("the threat model", () => {
  it("names a test in every row", () => {
    expect(rows.filter((row) => row.match(namedTest) === null)).toEqual([]);
    expect(rows.length).toBeGreaterThan(0);
  });

  it("names only tests that exist", () => {
    expect(named.filter((test) => !hasTest(test))).toEqual([]);
  });

  it("links to files that exist", () => {
    const links = [...page.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link = ""]) => join("docs", link));
    expect(links.filter((file) => !existsSync(file))).toEqual([]);
  });
});
