import { defineConfig } from "vitest/config";
import type { InlineConfig } from "vitest/node";
import { AnswerReport } from "./test/support/answer-report.ts";
import { ClosingLines } from "./test/support/closing-lines.ts";
import { CostReport } from "./test/support/cost-report.ts";
import { FileOrder } from "./test/support/file-order.ts";

/** Tests that need tables, but nothing else of a stack. */
const storeTests = [
  "shared/**/*-store.test.ts",
  "functions/events/fan-out/audiences.test.ts",
  "functions/teams/webhook-collector/collect.test.ts",
  "shared/events/{log-writer,told-times}.test.ts",
  "functions/devices/clients/own-events.test.ts",
  "shared/events/sockets/device-queues.test.ts",
  "shared/platform/data/batch-{read,write}.test.ts",
  "shared/platform/data/table.test.ts",
  "shared/platform/data/transact-together.test.ts",
  "shared/platform/messaging/{change,leased-worker}.test.ts",
  "shared/platform/rate-limit/*.test.ts",
  "shared/platform/usage/counts.test.ts",
  "lib/local/grants.test.ts",
  "lib/releases/{late-migrations,migrate}.test.ts",
  "lib/restore/restored-items.test.ts",
];

/** Tests that start programs of the project. */
const programTests = ["scripts/operator-commands.test.ts"];

/** Tests against stacks. */
export const endToEnd = {
  globalSetup: "test/support/stacks-setup.ts",
  setupFiles: ["test/support/use-shared-stack.ts", "test/support/clean-up.ts"],
};

/** Of every project. */
export const common = {
  pool: "threads",
  // Reloading all functions for each file would take longer than most files.
  isolate: false,
  // More than the cores of a small machine: tests mostly wait.
  maxWorkers: 4,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
  slowTestThreshold: 10_000,
  // Of thousands of tests that wait for queues, sockets and browsers, a busy machine makes one come too late. It is named at
  // the end.
  retry: 1,
  sequence: { sequencer: FileOrder },
  // Failures, and whatever is printed that nobody expects.
  reporters: [["minimal", { silent: false }], new ClosingLines(), new CostReport(), new AnswerReport()],
} satisfies InlineConfig;

export default defineConfig({
  test: {
    ...common,
    projects: [
      {
        extends: true,
        test: { ...endToEnd, name: "e2e", include: ["test/e2e/**/*.test.ts"] },
      },
      {
        extends: true,
        test: {
          ...endToEnd,
          name: "relay",
          include: ["test/e2e/events/sockets-at-relays.ts"],
          env: { SOCKETS: "relay" },
        },
      },
      { extends: true, test: { name: "infra", include: ["test/infra/**/*.test.ts", ...programTests] } },
      { extends: true, test: { name: "contract", include: ["test/contract/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "store",
          include: storeTests,
          globalSetup: "test/support/tables-setup.ts",
          setupFiles: "test/support/use-tables.ts",
        },
      },
      { extends: true, test: { name: "local", include: ["lib/local/**/*.test.ts"], exclude: storeTests } },
      {
        extends: true,
        test: {
          name: "unit",
          include: [
            "{bench,functions,scripts,shared}/**/*.test.ts",
            "lib/{audit,import,personal-data,pricing,releases,restore,uploads}/**/*.test.ts",
            "lib/*.test.ts",
          ],
          exclude: [...storeTests, ...programTests],
        },
      },
    ],
  },
});
