// Downloads DynamoDB Local, for machines for which npm has no emulator of DynamoDB: npm run dynamodb-local [-- --from
// URL]. It needs Java 17 or newer to run, and tar, which Linux, macOS and Windows have. Unlike the emulator from npm,
// it listens on all addresses of the machine.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { dynamodbLocalFolder } from "#lib/local/emulators/find-table-server.ts";
import { SetupError } from "#lib/local/setup-error.ts";
import { runScript } from "./run-script.ts";

const latest = "https://d1ni2b6xgvw0s0.cloudfront.net/v2.x/dynamodb_local_latest.tar.gz";
const timeoutMilliseconds = 10 * 60_000;

async function download(url: string): Promise<Buffer> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMilliseconds) }).catch((error) => {
    throw new SetupError(`${url} cannot be reached: ${error.cause?.message ?? error.message}`);
  });
  if (!response.ok) throw new SetupError(`${url} answers ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

await runScript("usage: npm run dynamodb-local -- [--from URL]", async () => {
  const { values } = parseArgs({ options: { from: { type: "string", default: latest } } });
  await install(values.from);
});

async function install(address: string): Promise<void> {
  const [archive, checksum] = await Promise.all([download(address), download(`${address}.sha256`)]);
  const expected = /^[\da-f]{64}/.exec(checksum.toString())?.[0];
  if (createHash("sha256").update(archive).digest("hex") !== expected)
    throw new SetupError(`${address} does not have the checksum in ${address}.sha256`);
  const unpacked = `${dynamodbLocalFolder}.new`;
  rmSync(unpacked, { recursive: true, force: true });
  mkdirSync(unpacked, { recursive: true });
  writeFileSync(join(unpacked, "archive.tar.gz"), archive);
  const { status, stderr, error } = spawnSync("tar", ["-xzf", "archive.tar.gz"], {
    cwd: unpacked,
    encoding: "utf8",
  });
  if (status !== 0 || !existsSync(join(unpacked, "DynamoDBLocal.jar")))
    throw new SetupError(
      `The archive cannot be unpacked: ${error?.message ?? (stderr || "it has no DynamoDBLocal.jar")}`,
    );
  rmSync(join(unpacked, "archive.tar.gz"));
  rmSync(dynamodbLocalFolder, { recursive: true, force: true });
  renameSync(unpacked, dynamodbLocalFolder);
  console.log(`DynamoDB Local is in ${dynamodbLocalFolder}. npm start uses it from now on.`);
}
