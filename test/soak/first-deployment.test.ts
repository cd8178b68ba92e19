import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { deployStage } from "#lib/deploy-stage.ts";
import { synthesise } from "#lib/stacks/synthesise.ts";
import { parseStage } from "#lib/stage.ts";
import { CloudFormationService } from "../support/cloudformation-service.ts";

const prod = readFileSync(join(import.meta.dirname, "../../stages/prod.json"), "utf8");
const input = JSON.parse(prod.replaceAll("000000000000", "123456789012"));
const stage = parseStage("first", input);
const { stacks } = synthesise(stage);
const sizes = stacks.map(({ template }) => Object.keys(template.Resources).length);
const total = sizes.reduce((sum, size) => sum + size);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-first-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A stage of which nothing is deployed, and a function that deploys it with the CDK. */
async function newAccount() {
  const cloudFormation = new CloudFormationService();
  const endpoint = await cloudFormation.start();
  onTestFinished(() => cloudFormation.stop());
  const variables = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    AWS_REGION: stage.region ?? "",
    CDK_HOME: join(folder, "cdk"),
    CDK_DISABLE_CLI_TELEMETRY: "true",
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const stageFile = join(folder, "stage.json");
  writeFileSync(stageFile, JSON.stringify({ name: stage.name, input }));
  const options = [
    ...["--app", `${process.execPath} test/support/bare-app.ts`, "--output", join(folder, "templates")],
    ...["-c", `stageFile=${stageFile}`, "--require-approval", "never", "--progress", "events"],
  ];
  const said: string[] = [];
  return { cloudFormation, said, deploy: () => deployStage(stage, options, (line) => said.push(line)) };
}

const complete = Object.fromEntries(
  stacks.map(({ name, template }) => [
    name,
    {
      status: expect.stringMatching(/^(CREATE|UPDATE)_COMPLETE$/),
      isProtected: true,
      resources: Object.keys(template.Resources).length,
      protectedTables: Object.values<{ Type: string }>(template.Resources).filter(
        ({ Type }) => Type === "AWS::DynamoDB::Table",
      ).length,
    },
  ]),
);

describe("the first deployment of a protected stage", () => {
  it.each([5, 100, total])(
    "succeeds when it is repeated after the creation of resource %i has failed",
    async (failsAt) => {
      const { cloudFormation, deploy } = await newAccount();
      cloudFormation.failsAt = failsAt;
      expect(await deploy()).not.toBe(0);
      const { status } = Object.values(cloudFormation.describe()).at(-1) ?? {};
      expect(status).toBe("ROLLBACK_COMPLETE");
      expect(await deploy()).toBe(0);
      expect(cloudFormation.describe()).toEqual(complete);
    },
    600_000,
  );
});
