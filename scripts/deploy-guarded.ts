// Deploys a stage so that CloudFormation rolls its functions back when an alarm fires meanwhile or ten minutes after.
// Usage: npm run deploy:guarded <stage> [options of cdk deploy]
import { spawnSync } from "node:child_process";
import { guardedDeployment } from "#lib/guarded-deployment.ts";
import { readStage } from "#lib/stage.ts";

const [stage = "", ...options] = process.argv.slice(2);

for (const command of guardedDeployment(readStage(stage))) {
  const { status } = spawnSync(process.execPath, ["node_modules/aws-cdk/bin/cdk", ...command, ...options], {
    stdio: "inherit",
  });
  if (status !== 0) {
    process.exitCode = status ?? 1;
    break;
  }
}
