import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { download, fetchBytes, locationOf, mixed, sendUpload, upload } from "../../support/assets.ts";
import { localDomain } from "../../support/connections.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { type UploadParts, uploadBody } from "../../support/upload-body.ts";
import { newUser, type User } from "../../support/users.ts";

const keyOf = (number: number) => expect.stringMatching(new RegExp(`^3-${number}-[0-9a-f-]{36}$`));
const token = expect.stringMatching(/^[\w-]{22}==$/);
const largest = 4_600_000;

let user: User;
beforeAll(async () => {
  user = await newUser();
});

describe.concurrent("an upload", () => {
  it("is stored as web clients send it", async () => {
    const { key, token } = await upload(user);
    const { status, bytes } = await fetchBytes(locationOf(await download(user, key, { query: token })));
    expect([status, bytes.toString()]).toEqual([200, "content"]);
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

  const file = { "Content-Type": "application/octet-stream", "Content-Length": "7" };

  it.each<[string, string, UploadParts]>([
    ["client-error", "is malformed", { options: "public" }],
    ["invalid-length", "has a file of no bytes", { fileHeaders: { ...file, "Content-Length": "0" } }],
    ["incomplete-body", "lacks a byte", { fileHeaders: { ...file, "Content-Length": "8" }, ending: "" }],
  ])("is refused with 400 %s when it %s", async (label, _, parts) => {
    expect(outcome(await sendUpload(user.token, parts))).toBe(`400 ${label}`);
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

  it("may be as large as the largest request that reaches a function", async () => {
    const content = Buffer.alloc(largest, "x");
    const { key, token } = await upload(user, { content });
    const { bytes } = await fetchBytes(locationOf(await download(user, key, { query: token })));
    expect(bytes.equals(content)).toBe(true);
  });

  it("that is larger than any request that reaches a function is refused with 413", async () => {
    for (const size of [6 * 1024 * 1024, 11 * 1024 * 1024])
      expect((await sendUpload(user.token, { content: Buffer.alloc(size) })).status).toBe(413);
  });

  it("may be compressed, within the limits on its real size", async () => {
    const headers = { ...mixed, "content-encoding": "gzip" };
    const send = (body: Buffer<ArrayBuffer>) =>
      api("POST", "/v8/assets", { token: user.token, headers, body: gzipSync(body) });
    expect((await send(uploadBody())).status).toBe(201);
    expect((await send(uploadBody({ content: Buffer.alloc(20_000_000) }))).status).toBe(413);
  });
});

describe("a user who uploads", () => {
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
