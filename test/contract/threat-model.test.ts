import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const page = readFileSync("docs/threat-model.md", "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("|") && !/^\| (threat|---) /.test(line));

/** A link to a file of tests, whose text is a title in it, or the beginning of one. */
const namedTest = /\["([^"]+)"\]\(\.\.\/([^)]+\.test\.ts)\)/g;
const named = rows.flatMap((row) =>
  [...row.matchAll(namedTest)].map(([, title = "", file = ""]) => ({ file, title })),
);

/** The file without its commented-out lines. */
const sourceOf = (file: string) => readFileSync(file, "utf8").replaceAll(/^\s*(\/\/|\*).*$/gm, "");

/** Tests, and groups of them, with the title: `it("…"`, `describe.concurrent("…"`, `it.each(…)("…"`. */
function countTests({ file, title }: { readonly file: string; readonly title: string }): number {
  if (!existsSync(file)) return 0;
  const isBeginning = title.endsWith("…");
  const literal = title.replace(/…$/, "").replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const call = /(?:\b(?:it|test|describe|race|overtaking)(?:\.(?!skip|todo)\w+)*|[)`])\(\s*/.source;
  const rest = isBeginning ? String.raw`(?:(?!\1).)+` : "";
  return [...sourceOf(file).matchAll(new RegExp(`${call}(["'\`])${literal}${rest}\\1`, "g"))].length;
}

describe("the threat model", () => {
  it("names a test in every row", () => {
    expect(rows.filter((row) => row.match(namedTest) === null)).toEqual([]);
    expect(rows.length).toBeGreaterThan(0);
  });

  it("names only tests that exist", () => {
    expect(named.filter((test) => countTests(test) === 0)).toEqual([]);
  });

  it("shortens a title only as far as one test in the file begins with it", () => {
    const shortened = named.filter(({ title }) => title.endsWith("…"));
    expect(shortened.filter((test) => countTests(test) > 1)).toEqual([]);
  });

  it("links to files that exist", () => {
    const links = [...page.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link = ""]) => join("docs", link));
    expect(links.filter((file) => !existsSync(file))).toEqual([]);
  });
});
