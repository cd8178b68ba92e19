import { afterAll } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** The answers that a test file has seen, such as `login 403`. */
    answers?: readonly string[];
  }
}

const answers = new Set<string>();

/** Note that a test of this thread has seen an answer of an operation. */
export function noteAnswer(operationId: string, status: number): void {
  answers.add(`${operationId} ${status}`);
}

/** Keep the answers of each test file of this thread for the end of the run. */
export function keepAnswers(): void {
  // biome-ignore lint/correctness/noEmptyPattern: vitest accepts no other first parameter
  afterAll(({}, file) => {
    file.meta.answers = [...answers];
    answers.clear();
  });
}
