import { describe, expect, it } from "vitest";
import { findInMarkdown } from "./markdown-findings.ts";

const files = new Set(["docs/page.md", "docs/other.md", "lib/stage.ts", "lib"]);
const find = (text: string, others: Readonly<Record<string, string>> = {}) =>
  findInMarkdown(
    Object.entries({ "docs/page.md": text, ...others }).map(([path, content]) => ({ path, text: content })),
    (path) => files.has(path),
  );

const sentence =
  "A file with missing bytes is refused even if the closing line makes up for all the bytes that it lacks.";

describe("the check of Markdown", () => {
  it("accepts a page with links, a table, a code block and names of files", () => {
    const page = [
      "# A page",
      "See [below](#below), [another](other.md#its-part), [code](../lib/stage.ts) and [the web](https://example.com).",
      "`lib/stage.ts` and `lib/` exist; `functions/<domain>/` and `shared/**/*-store.ts` are patterns.",
      "",
      "| a | b |\n| --- | --- |\n| `x \\| y` | z |",
      "",
      "## Below",
      "```sh\nnpm test\n```",
    ].join("\n");
    expect(find(page, { "docs/other.md": "## Its *part*" })).toEqual([]);
  });

  it("finds a code block that is not closed", () => {
    expect(find("Text\n\n```sh\nnpm test\n\nMore text")).toEqual([
      "docs/page.md:3: the code block is not closed",
    ]);
    expect(find("```")).toEqual(["docs/page.md:1: the code block is not closed"]);
  });

  it("finds rows that do not fit their table, or belong to none", () => {
    expect(find("| a | b |\n| --- | --- |\n| c |")).toEqual([
      "docs/page.md:3: the row has 1 cells, the table 2 columns",
    ]);
    expect(find("Text\n\n| a | b |\n| c | d |")).toEqual([
      "docs/page.md:3: the row belongs to no table",
      "docs/page.md:4: the row belongs to no table",
    ]);
  });

  it("finds links to files and headings that do not exist", () => {
    expect(
      find("[a](missing.md) [b](#missing) [c](other.md#missing)", { "docs/other.md": "# There" }),
    ).toEqual([
      "docs/page.md:1: the link leads nowhere: missing.md",
      "docs/page.md:1: the page has no such heading: #missing",
      "docs/page.md:1: the page has no such heading: other.md#missing",
    ]);
  });

  it("finds names of files that do not exist", () => {
    expect(find("`lib/gone.ts`")).toEqual(["docs/page.md:1: there is no lib/gone.ts"]);
  });

  it("finds text that repeats itself from the middle of a sentence", () => {
    const [finding, ...others] = find(`- ${sentence}\n- Then: ${sentence}`);
    expect(finding).toMatch(/^docs\/page\.md:2: repeats line 1: "a file with missing bytes/);
    expect(others).toEqual([]);
  });

  it("finds a paragraph that occurs on two pages", () => {
    expect(find(sentence, { "docs/other.md": sentence })).toEqual([
      "docs/other.md:1: is the paragraph of docs/page.md:1",
    ]);
  });
});
