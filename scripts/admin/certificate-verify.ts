import { readFileSync } from "node:fs";
import { parseJson } from "#shared/platform/parse-json.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { verifySigned } from "./statement.ts";

export const certificateVerify = defineCommand({
  name: "certificate verify",
  summary: "Verify that a certificate of an erasure is what this installation has signed",
  examples: ["certificate verify ada.json --stage prod"],
  effect: "reads",
  arguments: { file: { kind: "file", description: "what export --certificate --json has printed" } },
  async run({ api, fail }, { file }) {
    const result = await verifySigned(api, "erasure", contentOf(file));
    if ("problem" in result) fail();
    return { file, ...result };
  },
});

/** @throws CommandError */
function contentOf(file: string): Readonly<Record<string, unknown>> {
  try {
    return Object(parseJson(readFileSync(file, "utf8")));
  } catch (cause) {
    throw new CommandError(`${file} is not what export --certificate --json prints`, { cause });
  }
}
