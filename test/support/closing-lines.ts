import { basename } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

declare module "vitest" {
  interface TaskMeta {
    /** A tool that this machine may lack: the test is then skipped. */
    needs?: string;
  }
}

/**
 * Reports in the last lines which tests were skipped because the machine lacks something, and which passed only at
 * their second attempt.
 */
export class ClosingLines implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests("skipped")].flatMap((test) => {
        const { needs } = test.meta();
        return needs === undefined ? [] : [{ file: basename(module.moduleId), needs }];
      }),
    );
    for (const [needs, tests] of Map.groupBy(skipped, (test) => test.needs)) {
      const files = [...new Set(tests.map(({ file }) => file))].join(", ");
      console.log(`Skipped for lack of ${needs}: ${tests.length} in ${files}`);
    }

    for (const test of modules.flatMap((module) => [...module.children.allTests("passed")])) {
      if (!test.diagnostic()?.flaky) continue;
      const errors = (test.result().errors ?? []).map(({ message }) => message).join("\n");
      console.log(
        `Passed at the second attempt only: ${test.module.relativeModuleId} > ${test.fullName}\n${errors}`,
      );
    }
  }
}
