import { basename } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

declare module "vitest" {
  interface TaskMeta {
    /** What a test needs that this machine may lack: then it is skipped. */
    needs?: string;
  }
}

/** Says in the last lines what was skipped, and what is missing. */
export class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests("skipped")].map((test) => ({
        file: basename(module.moduleId),
        needs: test.meta().needs ?? "what the file says",
      })),
    );
    for (const [needs, tests] of Map.groupBy(skipped, (test) => test.needs)) {
      const files = [...new Set(tests.map(({ file }) => file))].join(", ");
      console.log(`Skipped ${tests.length} tests, which need ${needs}: ${files}`);
    }
  }
}
