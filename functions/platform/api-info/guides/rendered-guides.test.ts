import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { files, guides } from "./rendered-guides.ts";

it("the guides are all pages of docs/clients, the index first", () => {
  const pages = readdirSync("docs/clients").filter((file) => file.endsWith(".md") && file !== "README.md");
  const names = guides.map(({ name }) => name);
  expect(names[0]).toBe("overview");
  expect(names).toEqual(expect.arrayContaining(pages.map((page) => page.replace(".md", ""))));
});

it("the guides link to pages, headings and files that are served, and to other sites", () => {
  const known = new Set([
    "../../docs",
    "../../openapi.json",
    ...Object.keys(files),
    ...guides.flatMap(({ name, sections }) => [name, ...sections.map(({ anchor }) => `${name}#${anchor}`)]),
  ]);
  const dead = guides.flatMap(({ name, html }) =>
    [...html.matchAll(/href="([^"]+)"/g)]
      .map(([, href = ""]) => (href.startsWith("#") ? name + href : href))
      .filter((href) => !known.has(href) && !/^https?:/.test(href)),
  );
  expect(dead).toEqual([]);
});

it("the guides have no markup left in their text", () => {
  for (const { html } of guides) {
    const text = html.replaceAll(/<(pre|code)\b.*?<\/\1>/gs, "");
    expect(text).not.toMatch(/\*\*|\]\(|^\|/m);
  }
});
