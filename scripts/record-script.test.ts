import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tables } from "#shared/registry/tables.ts";

/** Calls of AWS, in their order. */
interface Call {
  readonly action: string;
  readonly body: string;
}

const account = "123456789012";
const member = (fields: Record<string, string>) =>
  `<member>${Object.entries(fields)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join("")}</member>`;
const outputs = Object.keys(tables).map((name) =>
  member({ OutputKey: `${name.replaceAll("-", "")}tablename`, OutputValue: `prod-${name}` }),
);
const stack = member({
  StackName: "parley-prod-data",
  StackId: "arn",
  StackStatus: "CREATE_COMPLETE",
  CreationTime: "2030-01-01T00:00:00Z",
  Outputs: outputs.join(""),
});
const secrets = ["signingkeyssecret", "verificationkeyssecret", "canarysecret"].map((id) =>
  member({
    LogicalResourceId: id,
    PhysicalResourceId: `arn:${id}`,
    ResourceType: "AWS::SecretsManager::Secret",
  }),
);
const results: Readonly<Record<string, string>> = {
  DescribeStacks: `<Stacks>${stack}</Stacks>`,
  DescribeStackResources: `<StackResources>${secrets.join("")}</StackResources>`,
  GetCallerIdentity: `<Arn>arn:aws:iam::${account}:user/grace</Arn><Account>${account}</Account>`,
};

/** A deployed stage whose tables refuse everything. */
const server = createServer(async (request, response) => {
  const body = await text(request);
  const target = String(request.headers["x-amz-target"] ?? "");
  const action = target.split(".").at(-1) || (new URLSearchParams(body).get("Action") ?? "");
  const caller = /Credential=(\w+)/.exec(String(request.headers.authorization))?.[1] ?? "";
  calls.set(caller, [...(calls.get(caller) ?? []), { action, body }]);
  const result = results[action];
  if (result !== undefined) {
    response.writeHead(200, { "content-type": "text/xml" });
    response.end(`<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`);
    return;
  }
  // A stage has no canary account before one is created.
  const code = action === "GetSecretValue" ? "ResourceNotFoundException" : "AccessDeniedException";
  response.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
  response.end(JSON.stringify({ __type: code, message: "refused" }));
});
const calls = new Map<string, Call[]>();

beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
afterAll(() => {
  server.close();
});

const run = (command: string, caller: string) =>
  new Promise<string>((resolve) => {
    const env = {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      AWS_EC2_METADATA_DISABLED: "true",
      AWS_ACCESS_KEY_ID: caller,
      AWS_SECRET_ACCESS_KEY: "test",
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    };
    execFile(process.execPath, command.split(" "), { env }, (error, stdout, stderr) =>
      resolve(`${error?.code ?? 0} ${stdout}${stderr}`.trim()),
    );
  });

describe.concurrent("scripts that change data or secrets of a stage", () => {
  it.each([
    ["keys.ts revoke 2", "keys revoke", { secret: "signing-keys", key: "2" }],
    ["migrate.ts --after-deployment", "migrate", { migrations: "1 2" }],
    ["restore.ts --at 2026-01-01T00:00:00Z", "restore", { at: "2026-01-01T00:00:00.000Z", tables: "all" }],
    [
      "canary.ts create --replace --email a@example.com --contact-email b@example.com",
      "canary create",
      { secret: "canary" },
    ],
  ])("%s does nothing before a record names its caller", async (command, operation, target) => {
    const caller = operation.replaceAll(/\W/g, "").toUpperCase();
    const said = await run(`scripts/${command} --stage prod`, caller);
    expect(said).toMatch(/^1 .*Nothing is done, since it cannot be recorded/s);
    const asked = calls.get(caller) ?? [];
    const changes = asked.filter(({ action }) => !/^(Describe|Get|List)/.test(action));
    expect(changes.map(({ action }) => action)).toEqual(["PutItem"]);
    const { TableName, Item } = JSON.parse(changes[0]?.body ?? "{}");
    expect(TableName).toBe("prod-audit");
    expect(Item).toMatchObject({
      operation: { S: operation },
      actor: { M: { kind: { S: "operator" }, principal: { S: `arn:aws:iam::${account}:user/grace` } } },
      target: { M: Object.fromEntries(Object.entries(target).map(([name, S]) => [name, { S }])) },
      command: { M: { name: { S: operation } } },
    });
  });
});
