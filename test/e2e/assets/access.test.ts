import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import {
  assetPath,
  download,
  fetchBytes,
  locationOf,
  mixed,
  sendUpload,
  upload,
} from "../../support/assets.ts";
import { localDomain } from "../../support/connections.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { uploadBody } from "../../support/upload-body.ts";
import { newUser, type User } from "../../support/users.ts";

let ada: User;
let ben: User;
beforeAll(async () => {
  [ada, ben] = await Promise.all([newUser(), newUser()]);
});

const wrong = `${"A".repeat(22)}==`;

const remove = ({ token }: User, key: string, domain = localDomain) =>
  api("DELETE", assetPath(key, domain), { token });
const renew = ({ token }: User, key: string) => api("POST", `/v8/assets/${key}/token`, { token });
const publish = ({ token }: User, key: string) => api("DELETE", `/v8/assets/${key}/token`, { token });

describe.concurrent("a private asset", () => {
  it("can be read by its owner, with any token or none", async () => {
    const { key, token } = await upload(ada);
    for (const sent of [{}, { header: token }, { query: token }, { header: wrong }, { query: "" }]) {
      const answer = await download(ada, key, sent);
      expect(answer.status).toBe(302);
      expect(answer.body).toBe("");
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
  });

  it("can be read by others with its token, where the header takes precedence", async () => {
    const { key, token } = await upload(ada);
    expect((await download(ben, key, { header: token })).status).toBe(302);
    expect((await download(ben, key, { query: token })).status).toBe(302);
    expect((await download(ben, key, { header: token, query: wrong })).status).toBe(302);
    expect(outcome(await download(ben, key, { header: wrong, query: token }))).toBe("404 not-found");
    expect(outcome(await download(ben, key, { header: "", query: token }))).toBe("404 not-found");
  });

  it("is unknown to others without its token", async () => {
    const { key, token } = await upload(ada);
    const other = await upload(ada);
    const tokens = [
      wrong,
      "",
      other.token,
      token.slice(0, -1),
      token.toLowerCase(),
      `${token} `,
      `${token}=`,
      "\u00fc",
    ];
    for (const query of tokens)
      expect(outcome(await download(ben, key, { query })), query).toBe("404 not-found");
    expect(outcome(await download(ben, key))).toBe("404 not-found");
    for (const header of ["null", "undefined", `${token},${token}`])
      expect(outcome(await download(ben, key, { header })), header).toBe("404 not-found");
  });

  it("is unknown to callers who are not logged in", async () => {
    const { key, token } = await upload(ada);
    const path = `${assetPath(key)}?asset_token=${encodeURIComponent(token)}`;
    expect(outcome(await api("GET", path))).toBe("401 unauthorized");
  });

  it("can be requested with the access token in the query, as web clients do", async () => {
    const { key } = await upload(ada);
    expect((await api("GET", `${assetPath(key)}?access_token=${ada.token}`)).status).toBe(302);
  });
});

describe.concurrent("a public asset", () => {
  it("can be read by everybody without a token, but is refused to others who send one", async () => {
    const { key } = await upload(ada, { options: { public: true } });
    expect((await download(ben, key)).status).toBe(302);
    expect(outcome(await download(ben, key, { query: wrong }))).toBe("404 not-found");
    expect(outcome(await download(ben, key, { header: "" }))).toBe("404 not-found");
    expect((await download(ada, key, { query: wrong })).status).toBe(302);
  });
});

describe.concurrent("the token of an asset", () => {
  it("is replaced by its owner, and the old one becomes invalid", async () => {
    const { key, token: old } = await upload(ada);
    const { status, body } = await renew(ada, key);
    expect({ status, body }).toEqual({
      status: 200,
      body: { token: expect.stringMatching(/^[\w-]{22}==$/) },
    });
    expect(outcome(await download(ben, key, { query: old }))).toBe("404 not-found");
    expect((await download(ben, key, { query: body.token })).status).toBe(302);
  });

  it("makes a public asset private", async () => {
    const { key } = await upload(ada, { options: { public: true } });
    const { body } = await renew(ada, key);
    expect(outcome(await download(ben, key))).toBe("404 not-found");
    expect((await download(ben, key, { query: body.token })).status).toBe(302);
  });

  it("is removed by its owner, which makes the asset public", async () => {
    const { key, token } = await upload(ada);
    const { status, body } = await publish(ada, key);
    expect({ status, body }).toEqual({ status: 200, body: "" });
    expect((await download(ben, key)).status).toBe(302);
    expect(outcome(await download(ben, key, { query: token }))).toBe("404 not-found");
    expect((await publish(ada, key)).status).toBe(200);
  });

  it("is neither replaced nor removed by others", async () => {
    const { key, token } = await upload(ada);
    expect(outcome(await renew(ben, key))).toBe("403 unauthorised");
    expect(outcome(await publish(ben, key))).toBe("403 unauthorised");
    expect((await download(ben, key, { query: token })).status).toBe(302);
  });
});

describe.concurrent("a deleted asset", () => {
  it("is gone, and so are its bytes", async () => {
    const { key, token } = await upload(ada);
    const address = locationOf(await download(ada, key));
    const { status, body } = await remove(ada, key);
    expect({ status, body }).toEqual({ status: 200, body: "" });
    expect((await fetchBytes(address)).status).toBe(404);
    for (const answer of [
      remove(ada, key),
      renew(ada, key),
      publish(ada, key),
      download(ada, key, { query: token }),
    ])
      expect(outcome(await answer)).toBe("404 not-found");
  });

  it("cannot be deleted by others", async () => {
    const { key } = await upload(ada);
    expect(outcome(await remove(ben, key))).toBe("403 unauthorised");
    expect((await download(ada, key)).status).toBe(302);
  });
});

describe.concurrent("a key or domain", () => {
  const keys = [
    "x",
    "3",
    "token",
    randomUUID(),
    `3-0-${randomUUID()}`,
    `3-6-${randomUUID()}`,
    `3-22-${randomUUID()}`,
    `4-2-${randomUUID()}`,
    `3-2-${randomUUID()}x`,
    `3-2-${randomUUID()}-`,
    `3-2-${randomUUID().replaceAll("-", "")}`,
    `3-2-${randomUUID()}%0a`,
    `3-2-${randomUUID()}%00`,
    `3-2-${randomUUID()}%20`,
    "3-2-..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e",
    "..%5c..",
    "*",
    "3-2-*",
    "x".repeat(5000),
  ];

  it.each(keys)("%s is unknown", async (key) => {
    const statuses = await Promise.all([
      api("GET", assetPath(key), ada),
      api("DELETE", assetPath(key), ada),
      api("POST", `/v8/assets/${key}/token`, ada),
      api("DELETE", `/v8/assets/${key}/token`, ada),
      api("GET", `/v1/assets/v3/${key}`, ada),
      internalApi("GET", `/i/assets/${key}`),
    ]);
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([404]));
  });

  it("that differs in its retention is unknown", async () => {
    const { key } = await upload(ada);
    expect((await download(ada, key.replace("3-2-", "3-1-"))).status).toBe(404);
    expect((await download(ada, key.toUpperCase())).status).toBe(302);
  });

  it("of another domain is unknown", async () => {
    const { key } = await upload(ada);
    for (const domain of ["remote.example", `${localDomain}.`, `x${localDomain}`, "v3", "v4"]) {
      expect(outcome(await api("GET", assetPath(key, domain), ada)), domain).toBe("404 not-found");
      expect(outcome(await remove(ada, key, domain)), domain).toBe("404 not-found");
    }
    expect((await api("GET", assetPath(key, localDomain.toUpperCase()), ada)).status).toBe(302);
  });

  it("between other segments is not found", async () => {
    const { key } = await upload(ada);
    const headers = { authorization: `Bearer ${ada.token}` };
    for (const path of [
      `/v8/assets/../assets/${localDomain}/${key}`,
      `/v8/assets//${key}`,
      `/v8/assets/${localDomain}/${key}/`,
      `/v8/assets/${localDomain}/${key}/token`,
      `/v8/assets/${localDomain}%2f${key}/x`,
      `/v8/assets/${key}`,
      `/v8/i/assets/${key}`,
      `/i/assets/${key}`,
    ]) {
      const { status } = await rawRequest(sharedStack().publicUrl, "GET", path, { headers });
      expect(status, path).toBe(404);
    }
  });
});

describe.concurrent("a version", () => {
  it("0 or 1 has the paths with v3 and v4, and not those without them", async () => {
    for (const version of ["/v0", "/v1"]) {
      const sent = await sendUpload(ada.token, {}, `${version}/assets/v3`);
      expect(sent.status).toBe(201);
      const { key } = sent.body;
      const get = (path: string) => api("GET", version + path, ada);
      expect((await get(`/assets/v3/${key}`)).status).toBe(302);
      expect((await get(`/assets/v4/${localDomain}/${key}`)).status).toBe(302);
      expect(outcome(await get(`/assets/v4/remote.example/${key}`))).toBe("404 not-found");
      expect(outcome(await sendUpload(ada.token, {}, `${version}/assets`))).toBe("404 no-endpoint");
      expect(outcome(await get(`/assets/${localDomain}/${key}`))).toBe("404 no-endpoint");
      expect((await api("POST", `${version}/assets/v3/${key}/token`, ada)).status).toBe(200);
      expect((await api("DELETE", `${version}/assets/v3/${key}/token`, ada)).status).toBe(200);
      expect((await api("DELETE", `${version}/assets/v4/${localDomain}/${key}`, ada)).status).toBe(200);
      expect(outcome(await api("DELETE", `${version}/assets/v3/${key}`, ada))).toBe("404 not-found");
    }
  });

  it("from 2 on has the paths without v3 and v4, and not those with them", async () => {
    for (const version of ["/v2", "/v7", "/v9"]) {
      const sent = await sendUpload(ada.token, {}, `${version}/assets`);
      expect(sent.status).toBe(201);
      const { key } = sent.body;
      const call = (method: string, path: string) => api(method, version + path, ada);
      expect((await call("GET", `/assets/${localDomain}/${key}`)).status).toBe(302);
      expect(outcome(await sendUpload(ada.token, {}, `${version}/assets/v3`))).toBe("404 no-endpoint");
      expect((await call("GET", `/assets/v3/${key}`)).status).toBe(404);
      expect(outcome(await call("GET", `/assets/v4/${localDomain}/${key}`))).toBe("404 no-endpoint");
      expect(outcome(await call("POST", `/assets/v3/${key}/token`))).toBe("404 no-endpoint");
      expect((await call("DELETE", `/assets/${localDomain}/${key}`)).status).toBe(200);
    }
  });

  it("0 or 1 has paths for older kinds of assets, but finds none, and newer ones lack the paths", async () => {
    for (const path of [
      "/assets/x?conv_id=y",
      "/conversations/x/assets/y",
      "/conversations/x/otr/assets/y",
    ]) {
      expect(outcome(await api("GET", `/v1${path}`, ada)), path).toBe("404 not-found");
      expect(outcome(await api("GET", `/v2${path}`, ada)), path).toBe("404 no-endpoint");
    }
  });

  it("supports no other methods at these paths", async () => {
    const { key } = await upload(ada);
    for (const method of ["HEAD", "PUT", "PATCH"])
      expect((await api(method, assetPath(key), ada)).status, method).toBe(404);
    expect((await api("GET", "/v8/assets", ada)).status).toBe(404);
    expect((await api("GET", `/v8/assets/${key}/token`, ada)).status).toBe(404);
  });
});

describe("the internal API", () => {
  it("returns an address for any asset", async () => {
    const { key } = await upload(ada);
    const { status, body } = await internalApi("GET", `/i/assets/${key}`);
    expect(status).toBe(200);
    expect((await fetchBytes(body)).bytes.toString()).toBe("content");
    expect(outcome(await internalApi("GET", `/i/assets/3-2-${randomUUID()}`))).toBe("404 not-found");
  });
});

describe("an asset with an expiry", () => {
  it("is unknown as soon as it has expired, even to its owner", async () => {
    const stack = await stackWith({}, { isClockStopped: true });
    const user = await newUser({}, stack);
    const put = async (retention: string): Promise<string> => {
      const body = uploadBody({ options: { retention } });
      return (await stack.publicApi("POST", "/v8/assets", { token: user.token, headers: mixed, body })).body
        .key;
    };
    const [volatile, persistent] = [await put("volatile"), await put("persistent")];
    const asInternal = (key: string) => stack.internalApi("GET", `/i/assets/${key}`);
    expect((await asInternal(volatile)).status).toBe(200);
    stack.advance(28 * 86_400);
    expect((await asInternal(persistent)).status).toBe(200);
    expect(outcome(await asInternal(volatile))).toBe("404 not-found");
    const again = await stack.publicApi("POST", "/access", { cookie: user.cookie });
    const token = again.body.access_token;
    for (const [method, path] of [
      ["GET", assetPath(volatile)],
      ["DELETE", assetPath(volatile)],
      ["POST", `/v8/assets/${volatile}/token`],
      ["DELETE", `/v8/assets/${volatile}/token`],
    ] as const)
      expect(outcome(await stack.publicApi(method, path, { token })), method).toBe("404 not-found");
  });
});

describe("concurrent requests", () => {
  it("that replace a token leave one that is valid", async () => {
    const { key, token: old } = await upload(ada);
    const renewals = await Promise.all(Array.from({ length: 8 }, () => renew(ada, key)));
    const tokens: string[] = renewals.map(({ body }) => body.token);
    const outcomes = await Promise.all([old, ...tokens].map((query) => download(ben, key, { query })));
    expect(outcomes.map(({ status }) => status).sort()).toEqual([302, ...Array(8).fill(404)]);
  });

  it("that delete an asset succeed only once", async () => {
    const { key } = await upload(ada);
    const deletions = await Promise.all(Array.from({ length: 6 }, () => remove(ada, key)));
    expect(deletions.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(404)]);
  });

  it("that delete an asset and replace its token leave nothing behind", async () => {
    for (let round = 0; round < 5; round++) {
      const { key } = await upload(ada);
      const [removed, ...renewals] = await Promise.all([
        remove(ada, key),
        renew(ada, key),
        publish(ada, key),
      ]);
      expect(removed.status).toBe(200);
      for (const { status } of renewals) expect([200, 404]).toContain(status);
      expect(outcome(await internalApi("GET", `/i/assets/${key}`))).toBe("404 not-found");
    }
  });

  it("that delete and download an asset return all of it or nothing", async () => {
    const { key } = await upload(ada);
    const [found] = await Promise.all([download(ada, key), remove(ada, key)]);
    expect([302, 404]).toContain(found.status);
    if (found.status === 302) expect((await fetchBytes(locationOf(found))).status).toBe(404);
  });
});
