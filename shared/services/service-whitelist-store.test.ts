import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { systemClock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { StaleReadError, transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { TooManyServicesError } from "./service.ts";
import { ServiceWhitelistStore } from "./service-whitelist-store.ts";

const dynamo = createDynamo();
const newService = () => ({ providerId: randomUUID(), serviceId: randomUUID() });

function newStore({ maxPerTeam = 100 } = {}) {
  const config = { tableName: (name) => `test-${name}`, settings: { services: { maxPerTeam } } } as Config;
  const store = new ServiceWhitelistStore({ dynamo, config, clock: systemClock });
  const teamId = randomUUID();
  return {
    store,
    teamId,
    add: (service = newService(), team = teamId) => transact(dynamo, store.add(team, service)),
    remove: (service = newService()) => transact(dynamo, store.remove(teamId, service)),
    teamsWith: async (serviceId: string) => {
      const teams: string[] = [];
      for await (const team of store.teamsWith(serviceId)) teams.push(team);
      return teams.toSorted();
    },
  };
}

describe.concurrent("the store of services that teams admit", () => {
  it("finds the services of a team and the teams of a service", async () => {
    const { store, teamId, add, remove, teamsWith } = newStore();
    const [service, other, otherTeam] = [newService(), newService(), randomUUID()];
    await Promise.all([add(service), add(other), add(service, otherTeam)]);
    expect(await store.isAdmitted(teamId, service)).toBe(true);
    expect(await store.isAdmitted(teamId, { ...service, providerId: randomUUID() })).toBe(false);
    expect(await store.isAdmitted(otherTeam, other)).toBe(false);
    expect(await store.ofTeam(teamId)).toHaveLength(2);
    expect(await store.ofTeam(teamId)).toEqual(expect.arrayContaining([service, other]));
    expect(await teamsWith(service.serviceId)).toEqual([teamId, otherTeam].toSorted());
    await remove(service);
    expect(await store.isAdmitted(teamId, service)).toBe(false);
    expect(await store.ofTeam(teamId)).toEqual([other]);
    expect(await teamsWith(service.serviceId)).toEqual([otherTeam]);
  });

  it("lets one of several concurrent changes through", async () => {
    const { add, remove } = newStore();
    const service = newService();
    const outcomes = async (changes: Promise<void>[]) =>
      (await Promise.allSettled(changes)).map(({ status }) => status).toSorted();
    const one = ["fulfilled", "rejected", "rejected"];
    expect(await outcomes([add(service), add(service), add(service)])).toEqual(one);
    expect(await outcomes([remove(service), remove(service), remove(service)])).toEqual(one);
    await expect(remove(service)).rejects.toThrow(StaleReadError);
  });

  it("limits the services of a team", async () => {
    const { add, remove } = newStore({ maxPerTeam: 2 });
    const service = newService();
    await add(service);
    await add();
    await expect(add()).rejects.toThrow(TooManyServicesError);
    await remove(service);
    await add();
    await expect(add()).rejects.toThrow(TooManyServicesError);
  });

  it("removes the whole list of a team", async () => {
    const { store, teamId, add, teamsWith } = newStore({ maxPerTeam: 60 });
    const services = Array.from({ length: 60 }, newService);
    await Promise.all(services.map((service) => add(service)));
    await store.removeAllOf(teamId);
    expect(await store.ofTeam(teamId)).toEqual([]);
    expect((await Promise.all(services.map(({ serviceId }) => teamsWith(serviceId)))).flat()).toEqual([]);
    await add();
  });

  it("says whether a team admits a service within a transaction", async () => {
    const { store, teamId, add } = newStore();
    const service = newService();
    const require = () => transact(dynamo, [store.requireAdmitted(teamId, service)]);
    await expect(require()).rejects.toThrow(StaleReadError);
    await add(service);
    await require();
  });
});
