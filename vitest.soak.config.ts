import { defineConfig } from "vitest/config";
import { common, endToEnd } from "./vitest.config.ts";

/** What takes too long for every run: loads, and tests of `npm test` that here do more, and for every function. */
const env = { SOAK: "yes" };

export default defineConfig({
  test: {
    ...common,
    projects: [
      {
        extends: true,
        test: {
          ...endToEnd,
          env,
          name: "soak",
          include: ["test/soak/**/*.test.ts", "test/e2e/**/{*-faults,*-races,contention,restore,team-index}.test.ts"],
        },
      },
      { extends: true, test: { env, name: "bundles", include: ["test/infra/bundle.test.ts"] } },
    ],
  },
});
