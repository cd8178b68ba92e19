import { readFileSync, writeFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule } from "vitest/node";

/** Statuses by operation. */
type Answers = Readonly<Record<string, readonly number[]>>;

const unseenFile = new URL("../unseen-answers.json", import.meta.url);

/**
 * Compares the answers that operations declare with those that end-to-end tests have seen. A complete run names each
 * missing answer that is not on the list of those that only unit tests show, and fails if one of them is a success:
 * some errors occur only by chance. Tests that this machine cannot run do not count. `RECORD_UNSEEN=yes npm test`
 * rewrites the list, for a commit that gives the reason.
 */
export class AnswerReport implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    if (process.argv.slice(2).join(" ") !== "run") return;
    // The route tables take longer to load than most test files need.
    const { declaredAnswers } = await import("./declared-answers.ts");
    const seen = new Set(modules.flatMap((module) => module.meta().answers ?? []));
    const unseen = declaredAnswers().flatMap(([id, statuses]) => {
      const missing = statuses.filter((status) => !seen.has(`${id} ${status}`));
      return missing.length === 0 ? [] : [[id, missing] as const];
    });
    const isComplete = !modules.some((module) => [...module.children.allTests("skipped")].some(lacksTool));
    if (process.env.RECORD_UNSEEN === undefined) reportMissing(Object.fromEntries(unseen), isComplete);
    else writeFileSync(unseenFile, listOf(unseen));
  }
}

/** An operation a line. */
function listOf(answers: readonly (readonly [string, readonly number[]])[]): string {
  const lines = answers.map(([id, statuses]) => `  ${JSON.stringify(id)}: [${statuses.join(", ")}]`);
  return `{\n${lines.join(",\n")}\n}\n`;
}

/** Whether a test was skipped because this machine has no browser or no Python. */
const lacksTool = (test: TestCase) => /^(Chromium|Python)/.test(test.meta().needs ?? "");

function reportMissing(unseen: Answers, isComplete: boolean): void {
  const known: Answers = JSON.parse(readFileSync(unseenFile, "utf8"));
  for (const [id, statuses] of Object.entries(unseen)) {
    const missing = statuses.filter((status) => !known[id]?.includes(status));
    if (missing.length === 0) continue;
    console.error(`No end-to-end test gets ${missing.join(" or ")} from ${id}`);
    if (isComplete && missing.some((status) => status < 400)) process.exitCode = 1;
  }
}
