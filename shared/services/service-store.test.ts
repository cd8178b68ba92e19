import { randomUUID } from "node:crypto";
import { DeleteCommand, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { systemClock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { StaleReadError, transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type Service, ServiceNotFoundError, TooManyServicesError } from "./service.ts";
import { type DirectorySearch, ServiceStore } from "./service-store.ts";

const dynamo = createDynamo();

function newStore({ maxPerProvider = 100 } = {}) {
  const config = {
    tableName: (name) => `test-${name}`,
    settings: { services: { maxPerProvider } },
  } as Config;
  const store = new ServiceStore({ dynamo, config, clock: systemClock });
  const providerId = randomUUID();
  /** All names in a test start with it, because the directory is shared. */
  const start = randomUUID();
  const create = async (fields: Partial<Service> = {}): Promise<Service> => {
    const created: Omit<Service, "revision"> = {
      providerId,
      serviceId: randomUUID(),
      name: `${start} Quiz`,
      summary: "Asks questions",
      description: "Asks questions about everything",
      assets: [],
      tags: ["quiz"],
      isEnabled: false,
      baseUrl: "https://quiz.example.com",
      keys: [{ pem: "key", bits: 2048, fingerprint: "fingerprint" }],
      authTokens: ["token"],
    };
    await transact(dynamo, store.create(created));
    return change({ ...created, revision: 1 }, { isEnabled: true, ...fields });
  };
  const change = async (service: Service, fields: Partial<Service>): Promise<Service> => {
    const next = { ...service, ...fields };
    await transact(dynamo, store.replace(service, next));
    return { ...next, revision: service.revision + 1 };
  };
  const search = async (search: Partial<DirectorySearch> = {}) => {
    const ids = await store.search({ start, limit: 100, ...search });
    const services = await store.getMany(ids);
    return ids.map(({ serviceId }) => services.find((one) => one.serviceId === serviceId)?.name);
  };
  return { store, providerId, start, create, change, search };
}

describe.concurrent("the store of services", () => {
  it("finds services by provider and id, and all of a provider", async () => {
    const { store, providerId, create } = newStore();
    const [one, other] = await Promise.all([create(), create({ isEnabled: false })]);
    expect(await store.get(providerId, one.serviceId)).toEqual(one);
    expect(await store.get(randomUUID(), one.serviceId)).toBeUndefined();
    expect(await store.get(providerId, randomUUID())).toBeUndefined();
    const all = await store.ofProvider(providerId);
    expect(all).toHaveLength(2);
    expect(all).toEqual(expect.arrayContaining([one, other]));
  });

  it("replaces a service only if it has not changed since it was read", async () => {
    const { create, change } = newStore();
    const service = await create();
    const changes = ["one", "another"].map((summary) => change(service, { summary }));
    const results = await Promise.allSettled(changes);
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(results).toContainEqual({ status: "rejected", reason: expect.any(StaleReadError) });
  });

  it("limits the services of a provider, even if they are created concurrently", async () => {
    const { store, providerId, create } = newStore({ maxPerProvider: 2 });
    const results = await Promise.allSettled([create(), create(), create(), create()]);
    const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect(errors).toEqual([expect.any(TooManyServicesError), expect.any(TooManyServicesError)]);
    const [first] = await store.ofProvider(providerId);
    if (first === undefined) throw new Error("No service was created");
    await transact(dynamo, store.finishDeletion(first));
    await create();
    await expect(create()).rejects.toThrow(TooManyServicesError);
  });

  it("lists enabled services by their lower-cased names", async () => {
    const { start, create, search } = newStore();
    const names = ["beta", "Alpha", "alphabet", "ALPHA 2", "Ωmega", "𝒜", "\uFF21"];
    await Promise.all(names.map((name) => create({ name: `${start} ${name}` })));
    await create({ name: `${start} hidden`, isEnabled: false });
    const inOrder = ["Alpha", "ALPHA 2", "alphabet", "beta", "Ωmega", "\uFF21", "𝒜"];
    expect(await search()).toEqual(inOrder.map((name) => `${start} ${name}`));
    expect(await search({ start: `${start.toUpperCase()} ALPHA`, limit: 2 })).toEqual([
      `${start} Alpha`,
      `${start} ALPHA 2`,
    ]);
    expect(await search({ start: `${start} ωM` })).toEqual([`${start} Ωmega`]);
  });

  it("finds a name by a prefix that ends in a sigma", async () => {
    const { start, create, search } = newStore();
    await create({ name: `${start} ΚΟΣΜΟΣ` });
    expect(await search({ start: `${start} ΚΟΣ` })).toEqual([`${start} ΚΟΣΜΟΣ`]);
  });

  it("finds a name by a prefix, whether or not their accents are characters of their own", async () => {
    const { start, create, search } = newStore();
    const names = [`${start} Überblick`.normalize("NFC"), `${start} Übersicht`.normalize("NFD")];
    await Promise.all(names.map((name) => create({ name })));
    for (const form of ["NFC", "NFD"]) {
      expect(await search({ start: `${start} Über`.normalize(form) })).toEqual(names);
    }
  });

  it("moves a service from the place where it was listed before accents were composed", async () => {
    const { store, start, create, change, search } = newStore();
    const name = `É${start}`.normalize("NFD");
    const service = await create({ name });
    const { providerId, serviceId } = service;
    const listed = (initial: string, folded: string) => ({
      owner: `directory#initial#${initial}`,
      entry: `${folded}${start}\u0000${serviceId}`,
    });
    const [now, formerly] = [listed("\u00E9", "\u00E9"), listed("e", "e\u0301")];
    await dynamo.send(new DeleteCommand({ TableName: "test-services", Key: now }));
    await dynamo.send(
      new PutCommand({ TableName: "test-services", Item: { ...formerly, providerId, serviceId } }),
    );
    await change(service, { summary: "Asks more questions" });
    expect(await search({ start: name })).toEqual([name]);
    const left = await dynamo.send(new GetCommand({ TableName: "test-services", Key: formerly }));
    expect(left.Item).toBeUndefined();
    expect(await store.get(providerId, serviceId)).toMatchObject({ name });
  });

  it("finds services that have all tags of one of several alternatives, each once", async () => {
    const { start, create, search } = newStore();
    const both = `${start} both`;
    const weather = `${start} weather`;
    const all = `${start} all`;
    await Promise.all([
      create({ name: both, tags: ["quiz", "music"] }),
      create({ name: `${start} quiz`, tags: ["quiz", "news"] }),
      create({ name: weather, tags: ["weather"] }),
      create({ name: all, tags: ["music", "quiz", "weather"] }),
    ]);
    const tags = [["music", "quiz"], ["weather"]];
    expect(await search({ tags })).toEqual([all, both, weather]);
    expect(await search({ tags, limit: 1 })).toEqual([all]);
    expect(await search({ start: both, tags })).toEqual([both]);
    expect(await search({ tags: [["quiz", "music", "weather"]] })).toEqual([all]);
    expect(await search({ tags: [["audio"]] })).toEqual([]);
  });

  it("finds a service by its new name and tags only", async () => {
    const { start, create, change, search } = newStore();
    const [before, after] = [`${start} before`, `${start} after`];
    const service = await create({ name: before, tags: ["music", "quiz"] });
    const renamed = await change(service, { name: after, tags: ["quiz", "news"] });
    expect(await search({ start: before })).toEqual([]);
    expect(await search({ start: after })).toEqual([after]);
    expect(await search({ tags: [["music"], ["music", "quiz"]] })).toEqual([]);
    expect(await search({ tags: [["quiz"], ["news", "quiz"]] })).toEqual([after]);
    await change(renamed, { isEnabled: false });
    expect(await search()).toEqual([]);
    expect(await search({ tags: [["quiz"], ["news"], ["news", "quiz"]] })).toEqual([]);
  });

  it("does not show a service that is being deleted", async () => {
    const { store, providerId, create, search } = newStore();
    const service = await create();
    const { serviceId } = service;
    await transact(dynamo, [store.requirePresent(service)]);
    await transact(dynamo, [store.requireEnabled(service)]);
    await transact(dynamo, store.beginDeletion(service));
    expect(await search()).toEqual([]);
    expect(await store.get(providerId, serviceId)).toBeUndefined();
    expect(await store.getMany([service])).toEqual([]);
    expect(await store.ofProvider(providerId)).toEqual([]);
    await expect(transact(dynamo, [store.requirePresent(service)])).rejects.toThrow(ServiceNotFoundError);
    await expect(transact(dynamo, [store.requireEnabled(service)])).rejects.toThrow(StaleReadError);
    const [left] = await store.ofProviderWithDeleted(providerId);
    expect(left).toEqual(await store.getEvenDeleted(service));
    if (left !== undefined) await transact(dynamo, store.finishDeletion(left));
    expect(await store.getEvenDeleted(service)).toBeUndefined();
  });
});
