import { posix } from "node:path";
import MarkdownIt from "markdown-it";
import { headingAnchors } from "#functions/platform/api-info/guides/render-guide.ts";

type Token = ReturnType<MarkdownIt["parse"]>[number];

/** A Markdown file of the repository: its path from the root, and its text. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** Whether a path from the root of the repository exists, as a file or a folder. */
export type PathExists = (path: string) => boolean;

const markdown = new MarkdownIt({ html: true });

/** Number of words in the same order that, twice on a page, are an editing mistake and no coincidence. */
const repeatedWords = 14;

/** A path in backticks that begins with one of these folders names a file of the repository. */
const ownFolders = /^(?:\.ci|bench|bin|docs|examples|functions|lib|scripts|shared|stages|test)\//;
const placeholder = /[<>*{}…\s]|\.\.\./;

/** Describe what is broken or repeated in pages of Markdown, as `file:line: what`. */
export function findInMarkdown(pages: readonly Page[], exists: PathExists): string[] {
  const parsed = pages.map((page) => ({ ...page, tokens: markdown.parse(page.text, {}) }));
  const anchors = new Map(parsed.map(({ path, tokens }) => [path, anchorsOf(tokens)]));
  return [
    ...parsed.flatMap(({ path, text, tokens }) => [
      ...openFences(text, tokens).map(at(path)),
      ...brokenTables(text, tokens).map(at(path)),
      ...deadLinks(path, tokens, exists, anchors).map(at(path)),
      ...missingFiles(tokens, exists).map(at(path)),
      ...repetitions(tokens).map(at(path)),
    ]),
    ...sharedParagraphs(parsed),
  ];
}

interface Finding {
  readonly line: number;
  readonly what: string;
}

const at =
  (path: string) =>
  ({ line, what }: Finding) =>
    `${path}:${line}: ${what}`;

/** Line of a token, counted from 1. */
const lineOf = (token: Token | undefined) => (token?.map?.[0] ?? 0) + 1;

/** Code blocks that end with the page, because their closing fence is missing. */
function openFences(text: string, tokens: readonly Token[]): Finding[] {
  const lines = text.split("\n");
  return tokens
    .filter((token) => token.type === "fence")
    .filter((token) => {
      const last = lines[(token.map?.[1] ?? 0) - 1] ?? "";
      return (token.map?.[1] ?? 0) - lineOf(token) < 1 || last.trim() !== token.markup;
    })
    .map((token) => ({ line: lineOf(token), what: "the code block is not closed" }));
}

/** Rows with more or fewer cells than the head of their table, and rows that belong to no table. */
function brokenTables(text: string, tokens: readonly Token[]): Finding[] {
  const lines = text.split("\n");
  const rows = tokens
    .filter((token) => token.type === "table_open")
    .flatMap((token) => {
      const [first = 0, end = 0] = token.map ?? [];
      const width = cellsIn(lines[first] ?? "");
      return lines
        .slice(first, end)
        .map((row, index) => ({ row, line: first + index + 1 }))
        .filter(({ row }) => cellsIn(row) !== width)
        .map(({ row, line }) => ({
          line,
          what: `the row has ${cellsIn(row)} cells, the table ${width} columns`,
        }));
    });
  const strays = prose(tokens)
    .filter(({ token }) => !/^(?:td|th)_/.test(token.type))
    .flatMap(({ inline }) =>
      inline.content
        .split("\n")
        .map((row, index) => ({ row, line: lineOf(inline) + index }))
        .filter(({ row }) => row.startsWith("|"))
        .map(({ line }) => ({ line, what: "the row belongs to no table" })),
    );
  return [...rows, ...strays];
}

const cellsIn = (row: string) =>
  row
    .trim()
    .replace(/^\||(?<!\\)\|$/g, "")
    .split(/(?<!\\)\|/).length;

function deadLinks(
  path: string,
  tokens: readonly Token[],
  exists: PathExists,
  anchors: ReadonlyMap<string, ReadonlySet<string>>,
): Finding[] {
  return inlines(tokens).flatMap((inline) =>
    (inline.children ?? []).flatMap((child) => {
      const address = child.attrGet("href") ?? child.attrGet("src");
      if (address === null || /^[a-z][a-z+.-]*:/i.test(address)) return [];
      const [file = "", anchor] = decodeURI(address).split("#");
      const target = file === "" ? path : posix.join(posix.dirname(path), file).replace(/\/$/, "");
      const line = lineOf(inline);
      if (!exists(target)) return [{ line, what: `the link leads nowhere: ${address}` }];
      const known = anchors.get(target);
      return anchor === undefined || known === undefined || known.has(anchor)
        ? []
        : [{ line, what: `the page has no such heading: ${address}` }];
    }),
  );
}

/** Names of files in backticks. */
function missingFiles(tokens: readonly Token[], exists: PathExists): Finding[] {
  return inlines(tokens).flatMap((inline) =>
    (inline.children ?? [])
      .filter((child) => child.type === "code_inline")
      .map((child) => child.content.replace(/\/$/, ""))
      .filter((name) => ownFolders.test(name) && !placeholder.test(name) && !exists(name))
      .map((name) => ({ line: lineOf(inline), what: `there is no ${name}` })),
  );
}

/** Sequences of words that occur twice on a page, outside of tables and code. */
function repetitions(tokens: readonly Token[]): Finding[] {
  const words = prose(tokens)
    .filter(({ token }) => !/^(?:td|th)_/.test(token.type))
    .flatMap(({ inline }) => wordsOf(inline).map((word) => ({ word, line: lineOf(inline) })));
  const seen = new Map<string, number>();
  const found: Finding[] = [];
  for (let start = 0; start + repeatedWords <= words.length; start++) {
    const sequence = words
      .slice(start, start + repeatedWords)
      .map(({ word }) => word)
      .join(" ");
    const first = seen.get(sequence);
    if (first === undefined) {
      seen.set(sequence, words[start]?.line ?? 0);
      continue;
    }
    found.push({ line: words[start]?.line ?? 0, what: `repeats line ${first}: "${sequence} …"` });
    start += repeatedWords;
  }
  return found;
}

/** Paragraphs that several pages have. */
function sharedParagraphs(pages: readonly { path: string; tokens: readonly Token[] }[]): string[] {
  const seen = new Map<string, string>();
  return pages.flatMap(({ path, tokens }) =>
    prose(tokens).flatMap(({ inline }) => {
      const words = wordsOf(inline);
      if (words.length < repeatedWords) return [];
      const paragraph = words.join(" ");
      const place = `${path}:${lineOf(inline)}`;
      const first = seen.get(paragraph);
      seen.set(paragraph, first ?? place);
      return first === undefined || first.startsWith(`${path}:`)
        ? []
        : [`${place}: is the paragraph of ${first}`];
    }),
  );
}

const inlines = (tokens: readonly Token[]) => tokens.filter((token) => token.type === "inline");

/** Texts, each with the token that opens its paragraph, heading or cell. */
const prose = (tokens: readonly Token[]) =>
  tokens.flatMap((inline, index) => {
    const token = tokens[index - 1];
    return inline.type === "inline" && token !== undefined ? [{ token, inline }] : [];
  });

const wordsOf = (inline: Token) =>
  (inline.children ?? [])
    .map((child) => (child.type === "softbreak" ? " " : child.content))
    .join("")
    .toLowerCase()
    .split(/[^\p{L}\p{N}'_-]+/u)
    .filter((word) => word !== "");

/** The anchors that a code host derives from the headings. */
function anchorsOf(tokens: readonly Token[]): Set<string> {
  const anchorOf = headingAnchors();
  const anchors = new Set<string>();
  for (const { token, inline } of prose(tokens)) {
    if (token.type !== "heading_open") continue;
    anchors.add(anchorOf((inline.children ?? []).map((child) => child.content).join("")));
  }
  return anchors;
}
