import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** Answers like CloudFormation when nothing is deployed, and notes the regions for which requests are signed. */
const regions = new Set<string>();
const server = createServer((request, response) => {
  regions.add(String(request.headers.authorization).split("/")[2] ?? "");
  response.writeHead(400, { "content-type": "text/xml" });
  response.end(
    "<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code>" +
      "<Message>Stack with id parley does not exist</Message></Error></ErrorResponse>",
  );
});

beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
afterAll(() => {
  server.close();
});

const noAws = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  AWS_EC2_METADATA_DISABLED: "true",
  AWS_CONFIG_FILE: "/dev/null",
  AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
};
const someAws = {
  ...noAws,
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
  AWS_REGION: "us-east-1",
};

/** Run a script. @returns its exit status, and the lines that it prints */
async function run(command: string, env: NodeJS.ProcessEnv): Promise<string> {
  const address = server.address();
  const endpoint = typeof address === "object" ? `http://127.0.0.1:${address?.port}` : "";
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      command.split(" "),
      { env: { ...env, AWS_ENDPOINT_URL: endpoint } },
      (error, stdout, stderr) => resolve(`${error?.code ?? 0} ${stdout}${stderr}`.trim()),
    );
  });
}

describe.concurrent("commands of operators", () => {
  it.each(["scripts/upgrade-check.ts", "scripts/deploy-emulator.ts"])(
    "%s reports a stage that does not exist",
    async (script) => {
      const said = await run(`${script} --stage nowhere`, noAws);
      expect(said).toBe("1 There is no stage nowhere: stages/nowhere.json cannot be read");
    },
  );

  it("report missing credentials before they build anything", async () => {
    const said = await run("scripts/deploy.ts -c stage=dev", noAws);
    expect(said).toBe("1 There are no AWS credentials: set AWS_PROFILE, or log in first");
  });

  it.each(["--stage prod", "--stage=prod"])(
    "refuse %s instead of deploying another stage",
    async (option) => {
      const said = await run(`scripts/deploy.ts ${option}`, someAws);
      expect(said).toBe("1 The CDK has no option --stage: npm run deploy -- -c stage=prod");
    },
  );

  it("report a missing region", async () => {
    const said = await run("scripts/upgrade-check.ts --stage dev", noAws);
    expect(said).toBe("1 There is no AWS region: set AWS_REGION, or `region` in the stage file");
  });

  it.each([
    "scripts/keys.ts list",
    "scripts/migrate.ts --after-deployment",
    "scripts/restore.ts --at 2026-01-01T00:00:00Z",
    "scripts/admin.ts outbox list",
  ])(
    "%s works in the region of the stage file, and reports when nothing is deployed there",
    async (command) => {
      const said = await run(`${command} --stage prod`, someAws);
      expect(said).toMatch(/^1 There is no stack parley-prod-data in eu-central-1: .*$/);
      expect([...regions]).toEqual(["eu-central-1"]);
    },
  );

  it("print their usage", async () => {
    const usage = "usage: npm run keys -- list|revoke --stage NAME [INDEX]";
    expect(await run("scripts/keys.ts --help", noAws)).toBe(`0 ${usage}`);
    const refused = await run("scripts/keys.ts --nonsense", noAws);
    expect(refused).toMatch(/^1 Unknown option '--nonsense'/);
    expect(refused).toContain(`\n${usage}`);
  });
});
