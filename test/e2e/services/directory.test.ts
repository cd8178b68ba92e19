import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { newService, type Provider, putConnection, serviceData } from "../../support/services.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser } from "../../support/users.ts";

const data = serviceData();
const reader = newUser();

const search = async (query: Record<string, string>, publicApi = api) =>
  publicApi("GET", `/services?${new URLSearchParams(query)}`, { token: (await reader).token });
const namesIn = ({ body }: { body: { services: { name: string }[] } }) =>
  body.services.map(({ name }) => name);

/** A provider, and a beginning of names that no other test uses. */
async function newProvider() {
  const provider = await data.newProvider();
  const start = randomUUID();
  return {
    provider,
    start,
    add: (name: string, fields: Record<string, unknown> = {}) =>
      newService(provider, { name: `${start} ${name}`, ...fields }),
    rename: ({ id }: { id: string }, name: string) =>
      api("PUT", `/provider/services/${id}`, { token: provider.token, json: { name } }),
  };
}

describe.concurrent("the directory of services", () => {
  it("has a service while it is enabled, under its present name only", async () => {
    const { provider, start, add, rename } = await newProvider();
    const service = await add("one", { enabled: false });
    expect((await search({ start })).body).toStrictEqual({ has_more: false, services: [] });
    await putConnection(provider, service, { enabled: true });
    expect((await search({ start })).body).toStrictEqual({
      has_more: false,
      services: [
        {
          id: service.id,
          provider: provider.id,
          name: `${start} one`,
          summary: "Asks questions",
          description: "Asks questions about everything",
          assets: [],
          tags: ["quiz"],
          enabled: true,
        },
      ],
    });
    const after = randomUUID();
    expect(outcome(await rename(service, `${after} two`))).toBe("200");
    expect(namesIn(await search({ start }))).toEqual([]);
    expect(namesIn(await search({ start: after.toUpperCase() }))).toEqual([`${after} two`]);
    expect(namesIn(await search({ start: after, tags: "quiz" }))).toEqual([`${after} two`]);
    await putConnection(provider, service, { enabled: false });
    expect(namesIn(await search({ start: after }))).toEqual([]);
  });

  it("finds services with all tags of one of several alternatives", async () => {
    const { start, add } = await newProvider();
    await Promise.all([
      add("a", { tags: ["music", "quiz"] }),
      add("b", { tags: ["music", "news"] }),
      add("c", { tags: ["weather"] }),
      add("d", { tags: ["quiz", "weather", "music"] }),
    ]);
    const letters = async (tags: string, from = start) =>
      namesIn(await search({ start: from, tags })).map((name) => name.slice(-1));
    expect(await letters("music.quiz,weather")).toEqual(["a", "c", "d"]);
    expect(await letters("quiz.music")).toEqual(["a", "d"]);
    expect(await letters("news,weather,audio")).toEqual(["b", "c", "d"]);
    expect(await letters("weather", `${start} D`)).toEqual(["d"]);
    expect((await search({ tags: "music.quiz", start: "", size: "10" })).status).toBe(200);
  });

  it("is read in pages, and says exactly whether there is more", async () => {
    const { start, add } = await newProvider();
    const letters = [..."abcdefghijk"];
    await Promise.all(letters.map((letter) => add(letter, { tags: ["news", "sports"] })));
    const page = async (query: Record<string, string>) => {
      const answer = await search({ start, ...query });
      return { letters: namesIn(answer).map((name) => name.slice(-1)), more: answer.body.has_more };
    };
    expect(await page({ size: "10" })).toEqual({ letters: letters.slice(0, 10), more: true });
    expect(await page({ size: "11" })).toEqual({ letters, more: false });
    expect(await page({})).toEqual({ letters, more: false });
    const tags = "news,sports,news.sports";
    expect(await page({ tags, size: "10" })).toEqual({ letters: letters.slice(0, 10), more: true });
    expect(await page({ tags, size: "11" })).toEqual({ letters, more: false });
  });

  it.each([
    ["an empty beginning without tags", { start: "" }, "400 client-error"],
    ["a long beginning", { start: "🚲".repeat(129) }, "400 client-error"],
    ["a long beginning with tags", { start: "x".repeat(129), tags: "quiz" }, "400 client-error"],
  ])("refuses %s", async (_, query, expected) => {
    expect(outcome(await search(query as Record<string, string>))).toBe(expected);
  });

  it("lists the tags in the order of the interface", async () => {
    const { token } = await reader;
    const { status, body } = await api("GET", "/services/tags", { token });
    expect(status).toBe(200);
    expect(body).toHaveLength(31);
    expect(body).toEqual(body.toSorted());
    expect(body).toContain("food-drink");
  });

  it("shows the services of a provider, even if they are not enabled", async () => {
    const { provider, start, add } = await newProvider();
    const [service, hidden] = await Promise.all([add("one"), add("two", { enabled: false })]);
    const { token } = await reader;
    const get = (path: string) => api("GET", `/providers/${path}`, { token });
    const { body } = await get(`${provider.id}/services`);
    expect(body.map(({ id }: { id: string }) => id).toSorted()).toEqual([service.id, hidden.id].toSorted());
    expect((await get(`${provider.id}/services/${hidden.id}`)).body).toMatchObject({
      id: hidden.id,
      provider: provider.id,
      name: `${start} two`,
      enabled: false,
    });
    expect(body[0]).not.toHaveProperty("auth_tokens");
    expect(outcome(await get(`${randomUUID()}/services/${service.id}`))).toBe("404 not-found");
    expect(outcome(await get(`${provider.id}/services/${randomUUID()}`))).toBe("404 not-found");
    expect((await get(`${randomUUID()}/services`)).body).toEqual([]);
  });
});

describe("the directory of services where the operator names one provider", () => {
  it("contains no services of others", async () => {
    const { provider, start, add } = await newProvider();
    const other = await data.newProvider();
    const stack = await stackWith({ setProviderSearchFilter: provider.id });
    const addOther = (of: Provider) => newService(of, { name: `${start} other`, tags: ["quiz", "news"] });
    await Promise.all([add("b", { tags: ["quiz", "news"] }), add("A"), add("hidden", { enabled: false })]);
    await addOther(other);
    expect(namesIn(await search({ start }))).toHaveLength(3);
    expect(namesIn(await search({ start }, stack.publicApi))).toEqual([`${start} A`, `${start} b`]);
    expect(namesIn(await search({ tags: "news.quiz,audio" }, stack.publicApi))).toEqual([`${start} b`]);
  });
});
