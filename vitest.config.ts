import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";

export default defineConfig({
  test: {
    include: ["{functions,lib,shared,test}/**/*.test.ts"],
    globalSetup: "test/support/global-setup.ts",
    setupFiles: "test/support/clean-up.ts",
    pool: "threads",
    // Loading all functions anew for each file would take longer than most files.
    isolate: false,
    // More than there are cores: tests wait more than they work.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
  },
});
