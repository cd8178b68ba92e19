// Over HTTP: only there does a body arrive as a stream.
import { request } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { interceptAwsCalls, xmlAnswer } from "#lib/local/aws-calls.ts";
import { itemsMentioning } from "../../support/all-items.ts";
import { apiAt, outcome } from "../../support/api.ts";
import { assetPath, fetchBytes, locationOf, mixed } from "../../support/assets.ts";
import { eventually } from "../../support/eventually.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { type UploadParts, uploadBody } from "../../support/upload-body.ts";
import { newUser } from "../../support/users.ts";

const mebibyte = 1024 ** 2;
const partBytes = 5 * mebibyte;
/** Content of two whole parts and a byte. */
const content = Buffer.alloc(2 * partBytes + 1, "0123456789abcde");
const stack = await stackWith({ maxTotalBytes: content.length, maxTotalBytesStrict: partBytes + 1 });
const overHttp = apiAt(stack.publicUrl);

let member: { id: string; token: string };
let person: { id: string; token: string };
beforeAll(async () => {
  [{ owner: member }, person] = await Promise.all([newTeam({}, stack), newUser({}, stack)]);
});

const send = (token: string, parts: UploadParts, headers: Record<string, string> = {}, path = "/v8/assets") =>
  overHttp("POST", path, { token, headers: { ...mixed, ...headers }, body: uploadBody(parts) });

/** Calls of S3 for a part, or for all of them together, since the last test. */
const calls: string[] = [];
let refusedCall: string | undefined;
interceptAwsCalls(async ({ service, action, path, headers }, next) => {
  if (service !== "s3") return next();
  const name = `${action} ${headers["x-amz-checksum-crc32"] === undefined ? "whole" : "part"}`;
  calls.push(`${action} ${path.split("/").slice(2, 4).join("/")}`);
  return refusedCall === name ? xmlAnswer(503, "<Error><Code>SlowDown</Code></Error>") : next();
});
afterEach(() => {
  calls.length = 0;
  refusedCall = undefined;
});

const recordsOf = async (id: string) => (await itemsMentioning(id, stack.prefix, ["assets"])).assets ?? [];

/** Wait until a user has no file any more, and nothing of one is stored. */
const expectNothingStored = (id: string) =>
  eventually(async () => {
    expect(await recordsOf(id)).toEqual([]);
    // One call deletes the parts, one the object that might have been made of them.
    expect(calls.filter((call) => call.startsWith("DELETE"))).toHaveLength(2);
  });

describe("a file that is larger than a part", () => {
  it("is stored by every path, and read in ranges", async () => {
    const { status, body } = await send(member.token, { content });
    expect(status).toBe(201);
    const url = locationOf(await overHttp("GET", assetPath(body.key), { token: member.token }));
    const { bytes, headers } = await fetchBytes(url);
    expect(bytes.equals(content)).toBe(true);
    const end = await fetchBytes(url, { range: `bytes=${2 * partBytes - 2}-` });
    expect([end.status, end.bytes.toString()]).toEqual([206, content.subarray(-3).toString()]);
    expect(headers).toMatchObject({
      "content-length": String(content.length),
      "content-type": "application/octet-stream",
      "content-disposition": "attachment",
    });
    for (const path of ["/assets", "/v0/assets/v3"])
      expect((await send(member.token, { content }, {}, path)).status, path).toBe(201);
    const [record] = await recordsOf(member.id);
    expect(record).toMatchObject({ bytes: content.length });
    expect(record).not.toHaveProperty("expiresAtSeconds");
  });

  it("keeps the lifetime of its retention", async () => {
    const owner = await newUser({}, stack);
    const file = { content: content.subarray(0, partBytes + 1), options: { retention: "volatile" } };
    const { body } = await send(owner.token, file);
    const [record] = await recordsOf(owner.id);
    expect(record?.expiresAtSeconds).toBe(Math.floor(Date.parse(body.expires) / 1000));
  });

  it("may be compressed, which does not extend the limit", async () => {
    const headers = { ...mixed, "content-encoding": "gzip" };
    const compressed = (parts: UploadParts) =>
      overHttp("POST", "/v8/assets", { token: member.token, headers, body: gzipSync(uploadBody(parts)) });
    expect((await compressed({ content })).status).toBe(201);
    expect(outcome(await compressed({ content: Buffer.concat([content, Buffer.alloc(1)]) }))).toBe(
      "413 client-error",
    );
    const body = gzipSync(uploadBody({ content })).subarray(0, -2000);
    expect(outcome(await overHttp("POST", "/v8/assets", { token: member.token, headers, body }))).toBe(
      "400 bad-request",
    );
  });
});

describe("the largest file", () => {
  it.each([
    ["with a team", () => member.token, content.length],
    ["without a team", () => person.token, partBytes + 1],
  ])("%s is stored, and one byte more refused", async (_, token, bytes) => {
    const file = Buffer.alloc(bytes + 1);
    expect(outcome(await send(token(), { content: file.subarray(1) }))).toBe("201");
    expect(outcome(await send(token(), { content: file }))).toBe("413 client-error");
  });

  it("is stated in the refusal, which a page may read", async () => {
    const origin = "http://localhost:3000";
    const { status, body, headers } = await send(
      person.token,
      { content: Buffer.alloc(partBytes + 2) },
      { origin },
    );
    expect({ status, body }).toEqual({
      status: 413,
      body: { code: 413, label: "client-error", message: `An asset may have at most ${partBytes + 1} bytes` },
    });
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("access-control-allow-credentials")).toBe("true");
  });
});

describe("nothing is stored of a file", () => {
  const octets = { "Content-Type": "application/octet-stream" };
  it.each<[string, UploadParts, string]>([
    ["with a byte less than announced", announcing(partBytes + 1, partBytes), "400 incomplete-body"],
    ["with another hash", { content, fileHeaders: hashed("CY9rzUYh03PK3k6DJie09g==") }, "400 client-error"],
    ["that is followed by too much", { content, ending: "x".repeat(65_537) }, "413 request-too-large"],
  ])("%s", async (_, parts, refusal) => {
    const { owner } = await newTeam({}, stack);
    expect(outcome(await send(owner.token, parts))).toBe(refusal);
    await expectNothingStored(owner.id);
  });

  it("when its client goes away", async () => {
    const { owner } = await newTeam({}, stack);
    const body = uploadBody({ content });
    const { hostname, port } = new URL(stack.publicUrl);
    const headers = { ...mixed, authorization: `Bearer ${owner.token}`, "content-length": body.length };
    const sent = request({ hostname, port, method: "POST", path: "/v8/assets", headers });
    sent.on("error", () => undefined);
    sent.write(body.subarray(0, -1000));
    await eventually(() => expect(calls.filter((call) => call.startsWith("PUT"))).toHaveLength(1));
    sent.destroy();
    await expectNothingStored(owner.id);
  });

  it("when S3 refuses a part", async () => {
    const { owner } = await newTeam({}, stack);
    refusedCall = "PUT part";
    expect(outcome(await send(owner.token, { content }))).toBe("503 service-unavailable");
    await expectNothingStored(owner.id);
  });

  function hashed(digest: string) {
    return { ...octets, "Content-Length": String(content.length), "Content-MD5": digest };
  }
  function announcing(announced: number, sent: number): UploadParts {
    return {
      content: content.subarray(0, sent),
      fileHeaders: { ...octets, "Content-Length": String(announced) },
    };
  }
});
