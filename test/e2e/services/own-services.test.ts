import { generateKeyPairSync, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import {
  newService,
  type Provider,
  putConnection,
  serviceData,
  serviceFields,
} from "../../support/services.ts";
import { newServiceKey, sharedServiceKey } from "../../support/tls-service.ts";
import { newUser } from "../../support/users.ts";

const data = serviceData();

const post = ({ token }: Pick<Provider, "token">, fields?: Record<string, unknown>) =>
  api("POST", "/provider/services", { token, json: serviceFields(fields) });
const get = ({ token }: Pick<Provider, "token">, id = "") =>
  api("GET", `/provider/services${id && `/${id}`}`, { token });
const put = ({ token }: Pick<Provider, "token">, id: string, json: unknown) =>
  api("PUT", `/provider/services/${id}`, { token, json });
const remove = ({ token, password }: Provider, id: string, json: unknown = { password }) =>
  api("DELETE", `/provider/services/${id}`, { token, json });

const pemOf = (key: { publicKey: { export(options: object): string | Buffer } }) =>
  String(key.publicKey.export({ type: "spki", format: "pem" }));

describe.concurrent("a new service", () => {
  it("is shown to its provider with everything that was sent, and is not enabled", async () => {
    const provider = await data.newProvider();
    const assets = [{ type: "image", size: "complete", key: `3-1-${randomUUID()}` }];
    const fields = serviceFields({ assets, tags: ["weather", "food-drink"], auth_token: "c2VjcmV0" });
    const created = await post(provider, fields);
    expect(created).toMatchObject({ status: 201, body: { id: expect.any(String) } });
    expect(created.body).toStrictEqual({ id: created.body.id });
    const { public_key, auth_token, ...shown } = fields as Record<string, unknown>;
    const service = {
      ...shown,
      id: created.body.id,
      auth_tokens: [auth_token],
      public_keys: [{ type: "rsa", size: 2048, pem: public_key }],
      enabled: false,
    };
    expect((await get(provider, created.body.id)).body).toStrictEqual(service);
    expect((await get(provider)).body).toStrictEqual([service]);
  });

  it("gets a generated token unless it brings one", async () => {
    const provider = await data.newProvider();
    const { body } = await post(provider);
    expect(body.auth_token).toMatch(/^[\w-]{24}$/);
    expect((await get(provider, body.id)).body.auth_tokens).toEqual([body.auth_token]);
    expect((await post(provider)).body.auth_token).not.toBe(body.auth_token);
  });

  it("requires an RSA key of 2048 bits in a single PEM section", async () => {
    const provider = await data.newProvider();
    const { publicKey } = sharedServiceKey();
    const withKey = async (public_key: unknown) => outcome(await post(provider, { public_key }));
    expect(await withKey(pemOf(generateKeyPairSync("rsa", { modulusLength: 1024 })))).toBe(
      "400 invalid-service-key",
    );
    expect(await withKey(pemOf(generateKeyPairSync("ed25519")))).toBe("400 invalid-service-key");
    expect(await withKey(sharedServiceKey().privateKey)).toBe("400 invalid-service-key");
    expect(await withKey(`${publicKey}\n${publicKey}`)).toBe("400 bad-request");
    expect(await withKey("key")).toBe("400 bad-request");
    expect((await get(provider)).body).toEqual([]);
  });

  it("of a deleted provider is refused", async () => {
    const provider = await data.newProvider();
    await data.beginDeletionOf(provider);
    expect(outcome(await post(provider))).toBe("403 invalid-provider");
    const [{ token }, stranger] = await Promise.all([newUser(), data.newProvider()]);
    expect(outcome(await post({ token }))).toBe("403 access-denied");
    expect((await get(stranger)).body).toEqual([]);
  });
});

describe.concurrent("a service", () => {
  it("is unknown to other providers", async () => {
    const [provider, other] = await Promise.all([data.newProvider(), data.newProvider()]);
    const { id } = await newService(provider);
    expect(outcome(await get(other, id))).toBe("404 not-found");
    expect(outcome(await put(other, id, { name: "Mine" }))).toBe("404 not-found");
    expect(outcome(await putConnection(other, { id }, { enabled: false }))).toBe("404 not-found");
    expect(outcome(await remove(other, id))).toBe("404 not-found");
    expect((await get(provider, id)).body.enabled).toBe(true);
  });

  it("changes only in the fields that are sent", async () => {
    const provider = await data.newProvider();
    const { id } = await newService(provider);
    const { body: before } = await get(provider, id);
    expect(await put(provider, id, { summary: "Asks more", tags: ["music"] })).toMatchObject({
      status: 200,
      body: "",
    });
    const after = { ...before, summary: "Asks more", tags: ["music"] };
    expect((await get(provider, id)).body).toEqual(after);
    expect(outcome(await put(provider, id, {}))).toBe("200");
    expect((await get(provider, id)).body).toEqual(after);
    expect(outcome(await put(provider, id, { name: "" }))).toBe("400 bad-request");
    expect(outcome(await put(provider, randomUUID(), { name: "Quiz" }))).toBe("404 not-found");
  });

  it("has up to two keys and two tokens, which replace the former ones", async () => {
    const provider = await data.newProvider();
    const { id } = await newService(provider);
    const keys = [newServiceKey().publicKey, sharedServiceKey().publicKey];
    const tokens = ["bmV3", "b2xk"];
    const change = (fields: Record<string, unknown>) => putConnection(provider, { id }, fields);
    expect(
      outcome(await change({ public_keys: keys, auth_tokens: tokens, base_url: "https://b.example.com/x/" })),
    ).toBe("200");
    const { body } = await get(provider, id);
    expect(body).toMatchObject({ auth_tokens: tokens, base_url: "https://b.example.com/x/", enabled: true });
    expect(body.public_keys.map(({ pem }: { pem: string }) => pem)).toEqual(keys);
    for (const fields of [
      { public_keys: [] },
      { public_keys: [...keys, ...keys] },
      { auth_tokens: [] },
      { auth_tokens: ["YQ", "Yg", "Yw"] },
    ]) {
      expect(outcome(await change(fields))).toBe("400 bad-request");
    }
  });

  it("checks password, service and keys of a changed connection, in this order", async () => {
    const provider = await data.newProvider();
    const { id } = await newService(provider);
    const public_keys = [pemOf(generateKeyPairSync("rsa", { modulusLength: 1024 }))];
    const wrong = { ...provider, password: "wrong password" };
    expect(outcome(await putConnection(wrong, { id: randomUUID() }, { public_keys }))).toBe(
      "403 invalid-credentials",
    );
    expect(outcome(await putConnection(provider, { id: randomUUID() }, { public_keys }))).toBe(
      "404 not-found",
    );
    expect(outcome(await putConnection(provider, { id }, { public_keys }))).toBe("400 invalid-service-key");
    expect(
      outcome(await api("PUT", `/provider/services/${id}/connection`, { token: provider.token, json: {} })),
    ).toBe("400 bad-request");
  });

  it("is deleted with the password only, and unknown immediately", async () => {
    const provider = await data.newProvider();
    const service = await newService(provider);
    const { id } = service;
    expect(outcome(await remove(provider, id, { password: "wrong password" }))).toBe(
      "403 invalid-credentials",
    );
    expect(outcome(await remove(provider, id, {}))).toBe("400 bad-request");
    expect((await get(provider, id)).status).toBe(200);
    expect(await remove(provider, id)).toMatchObject({ status: 202, body: "" });
    expect(outcome(await get(provider, id))).toBe("404 not-found");
    expect(outcome(await put(provider, id, { name: "Quiz" }))).toBe("404 not-found");
    expect(outcome(await putConnection(provider, service, { enabled: true }))).toBe("404 not-found");
    expect(outcome(await remove(provider, id))).toBe("404 not-found");
    expect((await get(provider)).body).toEqual([]);
  });

  it("keeps all of several concurrent changes of different fields", async () => {
    const provider = await data.newProvider();
    const { id } = await newService(provider);
    const changes = [{ name: "Quiz 2" }, { summary: "Two" }, { description: "Three" }, { tags: ["news"] }];
    const answers = await Promise.all([
      ...changes.map((fields) => put(provider, id, fields)),
      putConnection(provider, { id }, { enabled: false }),
    ]);
    expect(answers.map(outcome)).toEqual(Array(5).fill("200"));
    expect((await get(provider, id)).body).toMatchObject(Object.assign({ enabled: false }, ...changes));
  });

  it("is deleted even if it is renamed meanwhile", async () => {
    const provider = await data.newProvider();
    const reader = await newUser();
    await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { id } = await newService(provider, { name: `Before ${provider.id}` });
        const [renamed, removed] = await Promise.all([
          put(provider, id, { name: `After ${provider.id}` }),
          remove(provider, id),
        ]);
        expect(["200", "404 not-found"]).toContain(outcome(renamed));
        expect(outcome(removed)).toBe("202");
      }),
    );
    for (const start of [`Before ${provider.id}`, `After ${provider.id}`]) {
      const path = `/services?${new URLSearchParams({ start })}`;
      expect((await api("GET", path, { token: reader.token })).body.services).toEqual([]);
    }
    expect((await get(provider)).body).toEqual([]);
  });
});
