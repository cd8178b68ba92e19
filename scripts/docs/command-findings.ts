import type { Page } from "./markdown-findings.ts";

const reference = "docs/commands.md";

/**
 * Find commands that pages name and `package.json` lacks, and those that the page of all commands does not list exactly
 * once.
 */
export function findInCommands(pages: readonly Page[], scripts: readonly string[]): string[] {
  const unknown = pages.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) =>
      commandsIn(line)
        .filter((name) => !scripts.includes(name))
        .map((name) => `${path}:${index + 1}: there is no npm run ${name}`),
    ),
  );
  const rows = (pages.find(({ path }) => path === reference)?.text ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => commandsIn(line.split(" | ", 1).join()));
  const unlisted = scripts
    .filter((name) => rows.filter((row) => row === name).length !== 1)
    .map((name) => `${reference}: does not list npm run ${name} exactly once`);
  return [...unknown, ...unlisted];
}

const commandsIn = (line: string): string[] =>
  [...line.matchAll(/(?:^|`)npm (?:run (?:--silent )?([a-z][\w:-]*)|(start|test))/g)].map(
    ([, run, direct]) => run ?? direct ?? "",
  );
