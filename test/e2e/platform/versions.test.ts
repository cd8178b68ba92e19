import { describe, expect, it } from "vitest";
import { api, internalApi } from "../../support/api.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser } from "../../support/users.ts";

const released = [0, 1, 2, 3, 4, 5, 6, 7, 8];

describe.concurrent("GET /api-version", () => {
  it("lists released versions as supported and version 9 as in development", async () => {
    expect(await api("GET", "/api-version")).toMatchObject({
      status: 200,
      body: { supported: released, development: [9], federation: false, domain: "parley.localhost" },
    });
  });

  it("returns the same under every version", async () => {
    const { body } = await api("GET", "/api-version");
    for (const version of [...released, 9]) {
      expect((await api("GET", `/v${version}/api-version`)).body).toEqual(body);
    }
  });

  it("lists development versions in both lists when they are enabled", async () => {
    const { publicApi } = await stackWith({ setEnableDevelopmentVersions: true });
    expect((await publicApi("GET", "/api-version")).body).toMatchObject({
      supported: [...released, 9],
      development: [9],
    });
  });

  it("leaves disabled versions out of both lists, however they are written", async () => {
    const { publicApi } = await stackWith({ setDisabledAPIVersions: [3, "v7", "development"] });
    expect((await publicApi("GET", "/api-version")).body).toMatchObject({
      supported: [0, 1, 2, 4, 5, 6, 8],
      development: [],
    });
  });
});

describe.concurrent("a version prefix", () => {
  const unsupported = { status: 404, body: { code: 404, label: "unsupported-version" } };

  it("reaches the same operation in every version, including the one in development", async () => {
    const { token, id } = await newUser();
    for (const version of [...released, 9]) {
      expect((await api("GET", `/v${version}/self`, { token })).body.id).toBe(id);
    }
  });

  it("may be missing where a later operation has a name in place of an id", async () => {
    const { token } = await newUser();
    const { status, body } = await api("GET", "/conversations/mls-self", { token });
    expect({ status, epoch: body.epoch, suite: body.cipher_suite }).toEqual({
      status: 200,
      epoch: 0,
      suite: 1,
    });
  });

  it("returns 404 unsupported-version when there is no such version, whatever follows", async () => {
    for (const path of ["/self", "/no-such-thing", "/i/status", ""])
      expect(await api("GET", `/v99${path}`)).toMatchObject(unsupported);
    expect(await api("POST", "/v99/login", { json: {} })).toMatchObject(unsupported);
  });

  it("is treated as unknown when it is disabled", async () => {
    const { publicApi } = await stackWith({ setDisabledAPIVersions: [8, "development"] });
    for (const prefix of ["/v8", "/v9"]) {
      const disabled = await publicApi("GET", `${prefix}/self`);
      expect(disabled).toMatchObject(unsupported);
      expect(disabled.body).toEqual((await publicApi("GET", "/v99/self")).body);
    }
    expect((await publicApi("GET", "/v7/self")).status).toBe(401);
    expect((await publicApi("GET", "/self")).status).toBe(401);
  });

  it("returns 404 no-endpoint when its version lacks the operation", async () => {
    const json = { code: "123456", password: "a new password" };
    expect((await api("POST", "/v7/password-reset/key", { json })).body.label).toBe("invalid-code");
    expect((await api("POST", "/v8/password-reset/key", { json })).body.label).toBe("no-endpoint");
    expect((await api("POST", "/password-reset/key", { json })).body.label).toBe("invalid-code");
  });
});

describe.concurrent("the internal API", () => {
  it("is served without a version only", async () => {
    expect(await internalApi("GET", "/i/status")).toMatchObject({ status: 200, body: "" });
    for (const prefix of ["/v0", "/v8", "/v9"]) {
      expect((await internalApi("GET", `${prefix}/i/status`)).status).toBe(404);
    }
  });

  it("serves the public operations, too, and takes the user from Z-User", async () => {
    const { id, token } = await newUser();
    const asUser = (user: string) => internalApi("GET", "/v8/self", { headers: { "Z-User": user } });

    expect((await asUser(id)).body.id).toBe(id);
    expect((await asUser(id.toUpperCase())).body.id).toBe(id);
    expect((await internalApi("GET", "/self", { token })).body.id).toBe(id);
    expect((await asUser("nobody")).status).toBe(401);
    expect((await asUser("00000000-0000-4000-8000-000000000000")).status).toBe(404);
    expect((await internalApi("GET", "/self")).status).toBe(401);
  });
});

describe.concurrent("the API document", () => {
  it("describes each version, and the newest without a prefix", async () => {
    const versions = ["/v0", "/v8", "/v9", ""];
    const documents = await Promise.all(versions.map((prefix) => api("GET", `${prefix}/api/openapi.json`)));

    expect(documents.map(({ body }) => body.info.version)).toEqual(["0", "8", "9", "9"]);
    const hasLegacyReset = documents.map(({ body }) => "/password-reset/{key}" in body.paths);
    expect(hasLegacyReset).toEqual([true, false, false, false]);
    for (const { body } of documents) {
      expect(Object.keys(body.paths).filter((path) => path.startsWith("/i/"))).toEqual([]);
    }
  });

  it("of the internal API is served on its port only", async () => {
    const { body } = await internalApi("GET", "/i/openapi.json");
    // The interface has one internal operation without the prefix.
    const others = Object.keys(body.paths).filter((path) => !path.startsWith("/i/"));
    expect(others).toEqual(["/teams/{tid}/features/sso"]);
    for (const path of ["/i/openapi.json", "/i/docs", "/v8/i/docs", "/i/docs/docs.js"]) {
      expect((await api("GET", path)).body.label).toBe("no-endpoint");
    }
  });

  it("and the files of its page are compressed for clients that accept it", async () => {
    for (const path of ["/v8/api/openapi.json", "/api/docs/swagger-ui-bundle.js", "/api/docs/guides"]) {
      const url = sharedStack().publicUrl + path;
      const plain = await api("GET", path);
      const compressed = await fetch(url, { headers: { "accept-encoding": "gzip" } });
      expect([path, plain.headers.get("content-encoding")]).toEqual([path, null]);
      expect([path, compressed.headers.get("content-encoding")]).toEqual([path, "gzip"]);
      expect(Buffer.from(await compressed.arrayBuffer()).equals(plain.bytes)).toBe(true);
    }
  });

  it("is shown on a page that loads nothing from elsewhere", async () => {
    for (const [get, path] of [
      [api, "/api/docs"],
      [api, "/api/docs/guides/errors"],
      [internalApi, "/i/docs"],
    ] as const) {
      const page = await get("GET", path);
      expect(page.headers.get("content-type")).toContain("text/html");
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
      const addresses = [...page.body.matchAll(/(?:src|href)="([^"#]+)/g)].map(([, address]) => address);
      for (const address of addresses.filter((one) => !/^(data|http):/.test(one))) {
        const { pathname } = new URL(address, `http://127.0.0.1${path}`);
        expect([address, (await get("GET", pathname)).status]).toEqual([address, 200]);
      }
    }
  });
});
