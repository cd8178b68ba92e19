import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Waits for many faults to be overcome, longer than any other file takes. */
const longest = "event-faults.test.ts";

/** Starts the longest file first, so that nothing waits for it alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification) => moduleId.endsWith(longest);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}
