// Prints a random sample of sentences in this repository, a quarter each from documents, comments, test titles and
// error texts, so that an editor can count those that must be read twice:
//   node scripts/node24.mjs scripts/sample-sentences.ts [--seed N] [--size 200] [--under functions,shared]
// The same seed picks the same sentences for as long as their words stay the same; a sentence that was edited gets a new
// chance. Take another seed to judge an edit, since the former sample is what was edited.
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import MarkdownIt from "markdown-it";

interface Sentence {
  readonly place: string;
  readonly text: string;
}

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    size: { type: "string", default: "200" },
    under: { type: "string", default: "" },
  },
});
const folders = values.under.split(",").filter(Boolean);

const left = new Set(["node_modules", "cdk.out", ".git", ".parley", "build", "coverage", "CHANGELOG.md"]);
const read = (pattern: string) =>
  globSync(pattern, { exclude: (name) => left.has(name) })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => folders.length === 0 || folders.some((folder) => path.startsWith(`${folder}/`)))
    .map((path) => ({ path, text: readFileSync(path, "utf8") }));

const fewestWords = 4;

/** The sentences of a text that begins at a line of a file. */
function sentencesOf(path: string, line: number, text: string): Sentence[] {
  return text
    .replaceAll(/\s+/g, " ")
    .split(/(?<=[.!?:])\s+(?=[\p{Lu}`"*[])/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.split(" ").length >= fewestWords)
    .map((sentence) => ({ place: `${path}:${line}`, text: sentence }));
}

const markdown = new MarkdownIt({ html: true });

function fromDocuments(): Sentence[] {
  return read("**/*.md").flatMap(({ path, text }) => {
    // A cell has no line number of its own; that of its row is used.
    let line = 1;
    return markdown.parse(text, {}).flatMap((token) => {
      line = token.map === null ? line : token.map[0] + 1;
      return token.type === "inline" ? sentencesOf(path, line, token.content) : [];
    });
  });
}

const sources = read("{bench,bin,examples,functions,lib,scripts,shared,test}/**/*.ts");
const lineAt = (text: string, offset: number) => text.slice(0, offset).split("\n").length;

/** Comment blocks, and runs of lines that contain only a comment; a tag begins a sentence. */
function fromComments(): Sentence[] {
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\/\*\*?[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+|(?<=[;,{}()] )\/\/ .*/gm)].flatMap((match) =>
      match[0]
        .replaceAll(/\*+\/|\/\*+|^[ \t]*(?:\*(?!\/)|\/\/)|\/\/ /gm, " ")
        .split(/(?=@\w+ )|\n\s*\n/)
        .filter((part) => !part.includes("biome-ignore"))
        .flatMap((part) => sentencesOf(path, lineAt(text, match.index), part)),
    ),
  );
}

/** Titles of tests, preceded by those of the groups around them. */
function fromTitles(): Sentence[] {
  return sources
    .filter(({ path }) => path.endsWith(".test.ts"))
    .flatMap(({ path, text }) => {
      const around: { indent: number; title: string }[] = [];
      const title =
        /^([ \t]*)(?:(describe|it|test)\b[^\n"'`]*?\(|[\]}`)]+\)?\()\s*(["'`])((?:\\.|(?!\3).)+)\3/gm;
      return [...text.matchAll(title)].flatMap((match) => {
        const [, indentation = "", kind, , words = ""] = match;
        while ((around.at(-1)?.indent ?? -1) >= indentation.length) around.pop();
        const whole = [...around.map((group) => group.title), words].join(" | ");
        around.push({ indent: indentation.length, title: words });
        return kind === "describe" ? [] : [{ place: `${path}:${lineAt(text, match.index)}`, text: whole }];
      });
    });
}

const errorText = /(?:new \w*Error\(|\b(?:message|error):)\s*(["'`])((?:\\.|(?!\1).)+)\1/g;

function fromErrors(): Sentence[] {
  return sources
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(errorText)].flatMap((match) =>
        sentencesOf(path, lineAt(text, match.index), match[2] ?? ""),
      ),
    );
}

const rank = ({ text }: Sentence) => createHash("sha256").update(`${values.seed} ${text}`).digest("hex");

const kinds = { document: fromDocuments, comment: fromComments, title: fromTitles, error: fromErrors };
for (const [kind, find] of Object.entries(kinds)) {
  const ranked = find()
    .map((sentence) => ({ ...sentence, rank: rank(sentence) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1));
  const share = Math.round(Number(values.size) / Object.keys(kinds).length);
  console.log(`\n${kind}: ${share} of ${ranked.length}`);
  for (const { place, text } of ranked.slice(0, share)) console.log(`${place}\n    ${text}`);
}
