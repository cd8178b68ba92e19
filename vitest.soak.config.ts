import { defineConfig } from "vitest/config";
import { common, endToEnd } from "./vitest.config.ts";

/** What takes too long for every run: loads, and tests of `npm test` that here do more, and for every function. */
const env = { SOAK: "yes" };

/** Tests of what is deployed: for these, AWS is what they start themselves, if they need any. */
const deploymentTests = ["test/soak/{first-deployment,sam-provider}.test.ts"];

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
          exclude: deploymentTests,
          include: [
            "test/soak/**/*.test.ts",
            "test/e2e/**/{*-faults,*-races,contention,restore,team-index}.test.ts",
          ],
        },
      },
      {
        extends: true,
        test: { env, name: "deployments", include: ["test/infra/bundle.test.ts", ...deploymentTests] },
      },
    ],
  },
});
