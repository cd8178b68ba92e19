// Finds broken and repeated Markdown, links that lead nowhere, names of files and commands that do not exist, commands
// missing in docs/commands.md, decision records missing in the index, and mentions of records that do not exist. Part
// of npm run check.
import { existsSync, globSync, readFileSync } from "node:fs";
import { findInCommands } from "./docs/command-findings.ts";
import { findInMarkdown, type Page } from "./docs/markdown-findings.ts";
import { findInRecords } from "./docs/record-findings.ts";

const left = new Set(["node_modules", "cdk.out", ".git", ".parley", "build", "coverage"]);
const read = (pattern: string): Page[] =>
  globSync(pattern, { exclude: (name) => left.has(name) })
    .sort()
    .map((path) => ({ path: path.replaceAll("\\", "/"), text: readFileSync(path, "utf8") }));

const pages = read("**/*.md");
const sources = read("{bench,bin,examples,functions,lib,scripts,shared,test}/**/*.{ts,mjs,js,py}").filter(
  ({ path }) => !path.startsWith("scripts/docs/record-findings"),
);
const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
const findings = [
  ...findInMarkdown(pages, existsSync),
  ...findInCommands(pages, Object.keys(scripts)),
  ...findInRecords(pages, [...pages, ...sources]),
];
for (const finding of findings) console.error(finding);
if (findings.length > 0) process.exitCode = 1;
