import { beforeAll, describe, expect, it } from "vitest";
import { adminOf } from "../../support/admin.ts";
import { internalApi, outcome } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { newService, serviceData } from "../../support/services.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser } from "../../support/users.ts";

const data = serviceData();
let stack: Awaited<ReturnType<typeof stackWith>>;
beforeAll(async () => {
  stack = await stackWith({});
});
const admin = (...args: string[]) => adminOf(stack).admin(...args);
const resultOf = (...args: string[]) => adminOf(stack).resultOf(...args);

/** A group with a bot of a new provider's enabled service. */
async function newGroupWithBot() {
  const [provider, ada] = await Promise.all([data.newProvider(), newUser()]);
  const service = await newService(provider);
  const { id, botId } = await data.newGroupWithBot(service, [ada]);
  return { conversation: id, bot: botId, service, provider };
}

describe("services", () => {
  it("are found from a conversation, disabled and enabled by an operator", async () => {
    const { conversation, bot, service, provider } = await newGroupWithBot();
    const [found] = await resultOf("services", "list", "--conversation", conversation);
    expect(found).toMatchObject({
      bot,
      service: service.id,
      provider: provider.id,
      provider_name: "Engines",
    });

    const listed = async () => (await resultOf("services", "list", "--name", service.name)).length;
    const isEnabled = async () => (await resultOf("services", "show", provider.id, service.id)).enabled;
    expect([await isEnabled(), await listed()]).toEqual([true, 1]);
    await resultOf("services", "disable", provider.id, service.id);
    expect([await isEnabled(), await listed()]).toEqual([false, 0]);
    await resultOf("services", "enable", provider.id, service.id);
    expect([await isEnabled(), await listed()]).toEqual([true, 1]);
  });

  it("are deleted with their bots, alone or with their provider", async () => {
    const one = await newGroupWithBot();
    const remove = ["services", "delete", one.provider.id, one.service.id];
    expect(await admin(...remove, "--yes", "another")).toMatchObject({ code: 1 });
    await resultOf(...remove, "--yes", one.service.name);
    expect(await resultOf("services", "list", "--provider", one.provider.id)).toEqual([]);
    await eventually(async () => expect(await data.statusOf(one.bot)).toBe("deleted"));

    const other = await newGroupWithBot();
    expect((await resultOf("providers", "show", other.provider.id)).services).toHaveLength(1);
    await resultOf("providers", "delete", other.provider.id, "--yes", "Engines");
    await eventually(async () => expect(await data.statusOf(other.bot)).toBe("deleted"));
    expect(await admin("providers", "show", other.provider.id)).toMatchObject({ code: 1 });
  });

  it("are shown, disabled and deleted by the internal API, as their providers are", async () => {
    const { service, provider } = await newGroupWithBot();
    const [ofProvider, path] = [`/i/services/${provider.id}`, `/i/services/${provider.id}/${service.id}`];
    expect((await internalApi("PUT", path, { json: { enabled: false } })).status).toBe(200);
    expect((await internalApi("GET", path)).body).toMatchObject({ id: service.id, enabled: false });
    expect((await internalApi("GET", ofProvider)).body).toMatchObject({ id: provider.id });
    expect((await internalApi("DELETE", path)).status).toBe(202);
    expect((await internalApi("DELETE", ofProvider)).status).toBe(202);
  });

  it.each([
    ["GET", undefined],
    ["PUT", { enabled: false }],
    ["DELETE", undefined],
  ])("that do not exist return 404: %s", async (method, json) => {
    const unknown = "00000000-0000-4000-8000-000000000000";
    const path = `/i/services/${unknown}/${unknown}`;
    expect(outcome(await internalApi(method, path, { json }))).toBe("404 not-found");
    if (method === "PUT") return;
    expect(outcome(await internalApi(method, `/i/services/${unknown}`))).toBe("404 not-found");
  });

  it("are listed by a provider or a name, not by both or neither", async () => {
    expect(outcome(await internalApi("GET", "/i/services"))).toBe("400 bad-request");
    expect(await admin("services", "list")).toMatchObject({ code: 1 });
  });
});
