import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { families } from "#functions/families.ts";
import { bundleFunctions, heapGrowthFlag, startFile } from "#lib/bundle/bundle.ts";
import { functionEnvironment } from "#lib/local/function-environment.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { newSigningKeySet, verificationKeysOf } from "#shared/sessions/tokens/signing-keys.ts";

const outdir = mkdtempSync(join(tmpdir(), "parley-start-"));
/** No request is measured. */
const settings = parseSettings({ statistics: { sampleOneIn: null } });
const self = families.filter(({ name }) => name === "self");

beforeAll(() => bundleFunctions({ outdir, settings, manifests: self }));
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

const request = {
  rawPath: "/v9/self",
  headers: { authorization: `Bearer ${"A".repeat(86)}==.v=1.k=1.d=2000000000.t=a.l=.u=${randomUUID()}.c=1` },
  requestContext: { http: { method: "GET", path: "/v9/self", sourceIp: "127.0.0.1" }, requestId: "1" },
};

/** Start the function as Lambda does. @returns the actions that AWS is asked for by then, and its first answer */
async function start(answer: RequestListener) {
  const calls: string[] = [];
  const aws = createServer((call, response) => {
    calls.push(String(call.headers["x-amz-target"]).replace(/.*\./, ""));
    answer(call, response);
  });
  aws.listen(0, "127.0.0.1");
  await once(aws, "listening");
  onTestFinished(() => {
    aws.closeAllConnections();
    aws.close();
  });
  const [manifest] = self;
  if (manifest === undefined) throw new Error("There is no function self");
  const url = `http://127.0.0.1:${(aws.address() as AddressInfo).port}`;
  const script = `
    const { handler } = await import(${JSON.stringify(join(outdir, "self", startFile))});
    process.stdout.write("started ");
    const { statusCode } = await handler(${JSON.stringify(request)}, {});
    process.stdout.write(String(statusCode));
    process.exit();`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    env: {
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
      AWS_ENDPOINT_URL: url,
      ...functionEnvironment(manifest, {
        settingsFile: join(outdir, "self", "settings.json"),
        publicUrl: "https://api.example.com",
        docsAssets: outdir,
        logLevel: "CRITICAL",
        socketsEndpoint: "https://sockets.example.com/live",
        relayQueues: `${url}/relay-`,
        tableName: (name) => name,
        bucketName: (name) => name,
        queueUrl: (name) => `${url}/000000000000/${name}`,
        secretId: (name) => name,
      }),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let callsOfStart: string[] | undefined;
  child.stdout.once("data", () => {
    callsOfStart = calls.toSorted();
  });
  return { output: await text(child.stdout), callsOfStart, calls };
}

test("a start reads the keys, and connects to what the first request will use", async () => {
  const keys = JSON.stringify(verificationKeysOf(newSigningKeySet(), { keys: [] }, 0));
  const { output, callsOfStart, calls } = await start((call, response) => {
    const isSecret = String(call.headers["x-amz-target"]).endsWith("GetSecretValue");
    response.setHeader("content-type", "application/x-amz-json-1.1");
    response.end(isSecret ? JSON.stringify({ SecretString: keys }) : "{}");
  });
  expect(output).toBe("started 401");
  expect(callsOfStart).toEqual(["GetItem", "GetSecretValue", "SendMessage"]);
  expect(calls).toHaveLength(3);
});

test.each<[string, RequestListener]>([
  ["refuses every call", (_call, response) => response.writeHead(400).end("{}")],
  ["answers nothing", () => undefined],
])("a start goes on while AWS %s", async (_case, answer) => {
  expect((await start(answer)).output).toMatch(/^started 50\d$/);
});

test("V8 knows the flag that a start sets", () => {
  const { stdout } = spawnSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
  expect(stdout).toContain(` ${heapGrowthFlag} `);
});
