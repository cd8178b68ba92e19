import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commands } from "./commands.ts";

const root = join(import.meta.dirname, "../..");

/** Commands after `npm run admin --` in documents, and those in the table of requests. */
function typedIn(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const table = /\| request \| command \|\n([\s\S]*?)\n\n/.exec(text)?.[1] ?? "";
  return [
    ...[...text.matchAll(/npm run (?:--silent )?admin\s+--\s+([^`\n]+)/g)].map(([, typed = ""]) => typed),
    ...[...table.matchAll(/`([a-z]+ [^`]*)`/g)].map(([, typed = ""]) => typed),
  ];
}

const guides = readdirSync(join(root, "docs/operations"));

it("occurs in the guides for operators", () => {
  expect(guides.flatMap((file) => typedIn(`docs/operations/${file}`)).length).toBeGreaterThan(30);
});

it.each([...guides.map((file) => `docs/operations/${file}`), "docs/commands.md", "README.md"])(
  "%s names only commands that exist",
  (file) => {
    const typed = typedIn(file);
    const isKnown = (words: string) =>
      ["help", "COMMAND", ...commands.map(({ name }) => name)].some((name) =>
        `${words} `.startsWith(`${name} `),
      );
    // A line may end within the name of a command.
    const isBegun = (words: string) => commands.some(({ name }) => name.startsWith(`${words.trim()} `));
    expect(typed.filter((words) => !isKnown(words) && !isBegun(words))).toEqual([]);
  },
);
