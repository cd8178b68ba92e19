import { describe, expect, it } from "vitest";
import { type Command, defineCommand } from "./command.ts";
import { commonOptions, helpOf, readCommandLine, usageOf } from "./command-line.ts";
import { commands } from "./commands.ts";

const move = defineCommand({
  name: "box move",
  summary: "Move boxes",
  examples: ["box move a b"],
  effect: "changes",
  confirms: "the name of the box",
  arguments: {
    from: { kind: "text", description: "where from" },
    box: { kind: "id", description: "which", isOptional: true, isRepeated: true },
  },
  options: {
    speed: { kind: "integer", description: "how fast", minimum: 1, maximum: 9, default: "5" },
    way: { kind: "choice", description: "which way", choices: ["up", "down"] },
    note: { kind: "text", description: "what to say", isRepeated: true },
    all: { kind: "flag", description: "every box" },
  },
  run: async (_, values) => values,
});

describe("a command line", () => {
  it("becomes typed values by name", () => {
    const words = "here a b --speed 7 --way up --note x --note y --all --json --stage prod".split(" ");
    expect(readCommandLine(move, words)).toEqual({
      values: { from: "here", box: ["a", "b"], speed: 7, way: "up", note: ["x", "y"], all: true },
      common: { json: true, stage: "prod" },
    });
  });

  it("may omit optional values, which get their defaults", () => {
    expect(readCommandLine(move, ["here"]).values).toEqual({
      from: "here",
      box: [],
      speed: 5,
      note: [],
      all: false,
    });
  });

  it("needs no arguments to ask for help", () => {
    expect(readCommandLine(move, ["--help"])).toEqual({ common: { help: true } });
  });

  it.each([
    ["FROM is missing", []],
    ["FROM is empty", [""]],
    ["--speed is a number from 1 to 9", ["here", "--speed", "0"]],
    ["--speed is a number from 1 to 9", ["here", "--speed", "1e0"]],
    ["--way is one of up, down", ["here", "--way", "left"]],
    ["Unknown option '--fast'", ["here", "--fast"]],
    ["argument missing", ["here", "--way"]],
  ])("is refused with the usage: %s", (problem, words) => {
    expect(() => readCommandLine(move, words)).toThrow(problem);
    expect(() => readCommandLine(move, words)).toThrow(usageOf(move));
  });

  it("is explained by its help", () => {
    expect(
      helpOf(move),
    ).toBe(`Usage: npm run admin -- box move FROM [BOX ...] [--speed N] [--way up|down] [--note TEXT ...] [--all] [--yes NAME] [--stage NAME]

  Move boxes.

  FROM           where from
  BOX            which
  --speed N      how fast (5)
  --way up|down  which way: up, down
  --note TEXT    what to say
  --all          every box
  --yes NAME     the name of the box, because this cannot be undone

  npm run admin -- box move a b
`);
  });
});

describe.each(commands.map((command) => [command.name, command] as const))("the command %s", (_, command) => {
  it("has examples that work", () => {
    expect(command.examples).not.toEqual([]);
    for (const example of command.examples) {
      expect(example.startsWith(command.name)).toBe(true);
      const words = wordsOf(example).slice(command.name.split(" ").length);
      expect(readCommandLine(command, words).values).toBeDefined();
    }
  });

  it("has distinct names of values, and optional arguments at the end", () => {
    const names = [command.arguments, command.options, commonOptions].flatMap(Object.keys);
    expect(names).toEqual([...new Set(names)]);
    const fields = Object.values(command.arguments) as Command["arguments"][string][];
    const places = fields.map(({ isOptional, isRepeated }) => (isRepeated ? 2 : isOptional ? 1 : 0));
    expect(places).toEqual(places.toSorted());
    expect(places.filter((place) => place === 2).length).toBeLessThan(2);
  });
});

/** As a shell splits an example: by spaces outside quotes, up to a pipe or a redirection. */
function wordsOf(example: string): string[] {
  const words = [...example.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
  const end = words.findIndex((word) => word === "|" || word === ">");
  return end === -1 ? words : words.slice(0, end);
}
