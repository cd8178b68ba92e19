import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startBuckets } from "./buckets.ts";

let folder: string;
let emulator: Awaited<ReturnType<typeof startBuckets>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "parley-test-"));
  emulator = await startBuckets({
    region: "eu-central-1",
    folder: join(folder, "s3"),
    host: "127.0.0.1",
    secretOf: () => "local",
  });
  expect(await put("/files")).toBe(200);
});

afterAll(async () => {
  await emulator.stop();
  rmSync(folder, { recursive: true });
});

/** Send a path unchanged; `fetch` would normalise it. */
const send = (method: string, path: string, content = "content"): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(emulator.url);
    const headers = { authorization: "AWS4-HMAC-SHA256 any", "content-type": "text/plain" };
    request({ hostname, port, path, method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end(content);
  });

const put = (path: string) => send("PUT", path);

const filesBeside = () =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => /evil/.test(file) && !file.startsWith(join("s3", "buckets", "files", "objects")),
  );

it.each([
  "/files/../evil",
  "/files/a/../../evil",
  "/files/..%2f..%2f..%2fevil",
  "/files/%2e%2e/evil",
  "/files/..%2F..%5c..%2Fevil",
  "/files/a/%2e./%2E%2e%2fevil",
  "/files/./evil",
  "/..%2fevil/object",
])("the S3 emulator stores nothing outside its bucket for %s", async (path) => {
  expect(await put(path)).toBe(400);
  expect(filesBeside()).toEqual([]);
});

it.each(["/files/evil..", "/files/a/..evil/b", "/files/evil%252e%252e"])(
  "the S3 emulator stores %s, whose dots are part of its name",
  async (path) => {
    expect(await put(path)).toBe(200);
    expect(filesBeside()).toEqual([]);
  },
);

it("the S3 emulator reads no object names from bodies", async () => {
  const names = "<Delete><Object><Key>../../evil</Key></Object></Delete>";
  for (const path of [
    "/files?delete",
    "/files?delete&uploads",
    "/files/?delete&uploadId=x",
    "/files/x?delete",
  ])
    expect(await send("POST", path, names)).toBe(405);
});

it("the S3 emulator accepts and returns an object of 30 MB, such as an hour of the audit trail", async () => {
  const line = `${"x".repeat(299)}\n`;
  expect(await send("PUT", "/files/large", line.repeat(100_000))).toBe(200);
  const authorization = "AWS4-HMAC-SHA256 any";
  const text = await (await fetch(`${emulator.url}/files/large`, { headers: { authorization } })).text();
  expect(text.length).toBe(30_000_000);
  expect(text.replaceAll(line, "")).toBe("");
});
