import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import {
  download,
  fetchBytes,
  locationOf,
  mixed,
  sendUpload,
  type UploadParts,
  upload,
  uploadBody,
} from "../../support/assets.ts";
import { localDomain } from "../../support/connections.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

const keyOf = (number: number) => expect.stringMatching(new RegExp(`^3-${number}-[0-9a-f-]{36}$`));
const token = expect.stringMatching(/^[\w-]{22}==$/);
const largest = 4_600_000;

let user: User;
beforeAll(async () => {
  user = await newUser();
});

describe.concurrent("an upload", () => {
  const forms: [string, UploadParts][] = [
    ["web clients send it", {}],
    ["others send it", { boundary: "frontier" }],
    ["lines may end with LF", { lineEnd: "\n" }],
    ["it may begin with an empty line", { beginning: "\r\n" }],
    ["its boundary differs from that of the header", { boundary: "another" }],
    ["its boundary is empty", { boundary: "" }],
    ["nothing follows the file", { ending: "" }],
    ["anything follows the file", { ending: `\r\n${"x".repeat(1000)}` }],
    ["the file contains the boundary", { content: "\r\n--FrontierIyj6RcVrqMcxNtMEWPsNpuPm325QsvWQ\r\n" }],
    [
      "headers have another order and case",
      {
        optionsHeaders: { "CONTENT-LENGTH": "2", "content-type": "application/json" },
        fileHeaders: { "content-length": "7", "Content-type": "image/png" },
      },
    ],
  ];

  it.each(forms)("is stored as %s", async (_, parts) => {
    const { key, token } = await upload(user, parts);
    const { status, bytes } = await fetchBytes(locationOf(await download(user, key, { query: token })));
    expect({ status, content: bytes.toString("latin1") }).toEqual({
      status: 200,
      content: parts.content ?? "content",
    });
  });

  it("without options gets the key of a persistent asset, a token, and its path", async () => {
    const { status, body, headers } = await sendUpload(user.token);
    expect({ status, body }).toEqual({ status: 201, body: { key: keyOf(2), domain: localDomain, token } });
    expect(headers.get("location")).toBe(`/assets/${localDomain}/${body.key}`);
  });

  it.each([
    ["eternal", 1, undefined],
    ["persistent", 2, undefined],
    ["volatile", 3, 28],
    ["eternal-infrequent_access", 4, undefined],
    ["expiring", 5, 365],
  ])(
    "of the retention %s has the number %i in its key, and states when it expires",
    async (retention, number, days) => {
      const before = Date.now();
      const { body } = await sendUpload(user.token, { options: { retention } });
      expect(body.key).toEqual(keyOf(number));
      if (days === undefined) expect(body).not.toHaveProperty("expires");
      else {
        expect(body.expires).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(Math.round((Date.parse(body.expires) - before) / 60_000)).toBe(days * 1440);
      }
    },
  );

  it("that is public has no token", async () => {
    const { body } = await sendUpload(user.token, { options: { public: true } });
    expect(body).toEqual({ key: keyOf(2), domain: localDomain });
  });

  it("may have options that only newer clients know", async () => {
    const options = {
      public: false,
      domain: "x",
      convId: { id: "x" },
      filename: "a.png",
      filetype: "image/png",
    };
    expect((await sendUpload(user.token, { options })).status).toBe(201);
  });

  const json = { "Content-Type": "application/json", "Content-Length": "2" };
  const file = { "Content-Type": "application/octet-stream", "Content-Length": "7" };
  const malformed: [string, UploadParts | Buffer<ArrayBuffer>][] = [
    ["nothing at all", Buffer.alloc(0)],
    ["only a line end", Buffer.from("\r\n")],
    ["zeros", Buffer.alloc(5000)],
    ["no boundary", Buffer.from("Content-Type: application/json\r\n\r\n")],
    ["one part only", uploadBody().subarray(0, 140)],
    ["a third header in its first part", { optionsHeaders: { ...json, "Content-MD5": "x" } }],
    ["a header twice", { optionsHeaders: { ...json, "content-type": "application/json" } }],
    ["no type in its first part", { optionsHeaders: { "Content-Length": "2" } }],
    ["no length in its first part", { optionsHeaders: { "Content-Type": "application/json" } }],
    ["another type in its first part", { optionsHeaders: { ...json, "Content-Type": "text/plain" } }],
    ["a length of its first part that is too small", { optionsHeaders: { ...json, "Content-Length": "1" } }],
    [
      "a length of its first part that is too large",
      { optionsHeaders: { ...json, "Content-Length": "99999999" } },
    ],
    ["a length of its first part below zero", { optionsHeaders: { ...json, "Content-Length": "-2" } }],
    ["a length that is not a number", { fileHeaders: { ...file, "Content-Length": "0x7" } }],
    ["a length of hundreds of digits", { fileHeaders: { ...file, "Content-Length": "9".repeat(300) } }],
    ["no type of the file", { fileHeaders: { "Content-Length": "7" } }],
    ["no length of the file", { fileHeaders: { "Content-Type": "image/png" } }],
    ["another header of the file", { fileHeaders: { ...file, "Content-Disposition": "inline" } }],
    ["a line without end", { fileHeaders: { ...file, "Content-MD5": "x".repeat(100_000) } }],
    ["a header without colon", { fileHeaders: { ...file, "": "" } }],
    ["options that are far too long", { options: { filename: "x".repeat(70_000) } }],
    ["text instead of JSON", { options: "public" }],
    ["a list instead of options", { options: [] }],
    ["null instead of options", { options: "null" }],
    ["an unknown retention", { options: { retention: "forever" } }],
    ["a retention of every object", { options: { retention: "constructor" } }],
    ["a number instead of a retention", { options: { retention: 2 } }],
    ["a text instead of a boolean", { options: { public: "true" } }],
  ];

  it.each(malformed)("with %s is refused with 400 client-error", async (_, parts) => {
    expect(outcome(await sendUpload(user.token, parts))).toBe("400 client-error");
  });

  it("of another type is refused with 415, whatever it contains", async () => {
    for (const type of [
      "multipart/form-data; boundary=frontier",
      "application/json",
      "multipart/mixedx",
      "image/png",
    ]) {
      const headers = { "content-type": type };
      expect(
        outcome(await api("POST", "/v8/assets", { token: user.token, headers, body: uploadBody() })),
        type,
      ).toBe("415 unsupported-media-type");
    }
    expect(outcome(await api("POST", "/v8/assets", { token: user.token, body: Buffer.alloc(0) }))).toBe(
      "415 unsupported-media-type",
    );
  });

  it("needs no boundary in its content type, whose case does not matter", async () => {
    for (const type of [
      "multipart/mixed",
      'Multipart/Mixed; BOUNDARY="a b"',
      "multipart/mixed;boundary=a;x=y",
    ]) {
      const headers = { "content-type": type };
      const { status } = await api("POST", "/v8/assets", { token: user.token, headers, body: uploadBody() });
      expect(status, type).toBe(201);
    }
  });

  it.each(["0", "-1", "-999"])("of a file of %s bytes is refused with 400 invalid-length", async (length) => {
    const fileHeaders = { ...file, "Content-Length": length };
    expect(outcome(await sendUpload(user.token, { fileHeaders }))).toBe("400 invalid-length");
  });

  it("of the maximum size is stored, and one byte more refused with 413 client-error", async () => {
    const content = Buffer.alloc(largest, "x");
    const { key, token } = await upload(user, { content });
    const { bytes } = await fetchBytes(locationOf(await download(user, key, { query: token })));
    expect(bytes.equals(content)).toBe(true);
    const announced = { ...file, "Content-Length": String(largest + 1) };
    for (const parts of [{ content: Buffer.alloc(largest + 1) }, { fileHeaders: announced }])
      expect(outcome(await sendUpload(user.token, parts))).toBe("413 client-error");
  });

  it("that is larger than what reaches a function is refused with 413", async () => {
    for (const size of [6 * 1024 * 1024, 11 * 1024 * 1024])
      expect((await sendUpload(user.token, { content: Buffer.alloc(size) })).status).toBe(413);
  });

  it.each([
    ["a hundred bytes fewer than announced", 100, undefined],
    ["a hundred bytes fewer, and nothing after them", 100, ""],
    ["one byte fewer", 1, undefined],
    ["as many bytes fewer as the closing line has", 46, undefined],
    ["no byte", 7, ""],
  ])("of %s is refused with 400 incomplete-body", async (_, missing, ending) => {
    const content = Buffer.alloc(200, "x");
    const fileHeaders = { ...file, "Content-Length": String(content.length + missing) };
    const answer = await sendUpload(user.token, {
      content,
      fileHeaders,
      ...(ending !== undefined && { ending }),
    });
    expect(outcome(answer)).toBe("400 incomplete-body");
  });

  it("may be compressed, within the limits on its real size", async () => {
    const headers = { ...mixed, "content-encoding": "gzip" };
    const send = (body: Buffer<ArrayBuffer>) =>
      api("POST", "/v8/assets", { token: user.token, headers, body: gzipSync(body) });
    expect((await send(uploadBody())).status).toBe(201);
    expect((await send(uploadBody({ content: Buffer.alloc(20_000_000) }))).status).toBe(413);
  });
});

describe("somebody who uploads", () => {
  it("has to be logged in", async () => {
    expect(outcome(await api("POST", "/v8/assets", { headers: mixed, body: uploadBody() }))).toBe(
      "401 unauthorized",
    );
  });

  it("must not be suspended", async () => {
    const suspended = await newUser();
    await internalApi("PUT", `/i/users/${suspended.id}/status`, { json: { status: "suspended" } });
    expect(outcome(await sendUpload(suspended.token))).toBe("403 unverified-user");
    expect(outcome(await sendUpload(suspended.token, Buffer.alloc(9)))).toBe("403 unverified-user");
  });

  it("must not be deleted", async () => {
    const deleted = await newUser();
    await internalApi("DELETE", `/i/users/${deleted.id}`);
    expect(outcome(await sendUpload(deleted.token))).toBe("403 unverified-user");
  });

  it("may be anonymous", async () => {
    const { body, cookie } = await api("POST", "/register", { json: { name: "Guest" } });
    const access = await api("POST", "/access", { cookie });
    expect(body).toHaveProperty("expires_at");
    expect((await sendUpload(access.body.access_token)).status).toBe(201);
  });

  it("may store less when in no team, if the operator says so", async () => {
    const stack = await stackWith({ maxTotalBytes: 1000, maxTotalBytesStrict: 100 });
    const post = async (bytes: number, token: string) => {
      const body = uploadBody({ content: Buffer.alloc(bytes) });
      return outcome(await stack.publicApi("POST", "/v8/assets", { token, headers: mixed, body }));
    };
    const person = await newUser({}, stack);
    expect(await post(100, person.token)).toBe("201");
    expect(await post(101, person.token)).toBe("413 client-error");
    const { owner } = await newTeam({}, stack);
    expect(await post(1000, owner.token)).toBe("201");
    expect(await post(1001, owner.token)).toBe("413 client-error");
  });
});
