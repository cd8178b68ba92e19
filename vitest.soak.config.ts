import { defineConfig } from "vitest/config";
import { common, endToEnd } from "./vitest.config.ts";

/** What takes too long for every run: loads, and tests of `npm test` that here do more, and for every function. */
const env = { SOAK: "yes" };

/** Tests that run the CDK: for these, AWS is what they start themselves. */
const deploymentTests = ["test/soak/first-deployment.test.ts"];

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
