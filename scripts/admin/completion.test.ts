import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { Context } from "./command.ts";
import { commands } from "./commands.ts";
import { completion } from "./completion.ts";

const script = await scriptOf("bash");

async function scriptOf(shell: string): Promise<string> {
  const pieces = completion.run({ commands } as Context, { shell });
  const texts: unknown[] = [];
  for await (const piece of pieces as AsyncIterable<unknown>) texts.push(piece);
  return texts.join("");
}

/** The words that Bash offers at the end of a line. */
function offeredAfter(line: string): string[] {
  const words = ["parley-admin", ...line.split(" ")];
  const test = `${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
COMP_CWORD=${words.length - 1}
_parley_admin
printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", test], { encoding: "utf8" }).split("\n").filter(Boolean);
}

describe("completion in Bash", () => {
  it.each<[line: string, offered: string[]]>([
    ["use", ["users", "user"]],
    ["user fi", ["find"]],
    ["user devices ", ["list", "remove"]],
    ["--stage prod user devices r", ["remove"]],
    ["switches pause up", ["uploads"]],
    ["switches pause --reason x --dry-run mes", ["messages"]],
    ["team features set 8f0e app", ["appLock"]],
    ["team features set 8f0e appLock --status ", ["enabled", "disabled"]],
    ["user show ada --js", ["--json"]],
    ["import package.js", ["package.json"]],
    ["import users.jsonl --settings package.js", ["package.json"]],
    ["help", ["help"]],
    ["nothing known ", []],
  ])("of %j offers %j", (line, offered) => {
    expect(offeredAfter(line)).toEqual(offered);
  });

  it("offers the options of a command, and the common ones", () => {
    const offered = offeredAfter("team delete 8f0e --");
    expect(offered).toEqual(expect.arrayContaining(["--force", "--yes", "--stage", "--dry-run", "--json"]));
  });
});

it("is the same in Zsh, after the commands that enable it there", async () => {
  expect(await scriptOf("zsh")).toContain(`bashcompinit\n${script}`);
});
