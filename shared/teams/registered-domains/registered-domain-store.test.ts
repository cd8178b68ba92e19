import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Config } from "#shared/platform/config.ts";
import { StaleReadError, transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import type { DomainRegistration } from "./domain-registration.ts";
import { RegisteredDomainStore, TooManyDomainsError } from "./registered-domain-store.ts";

const dynamo = createDynamo();

function storeWith(domainVerification: object | null) {
  const settings = parseSettings({ domainVerification });
  const config = { tableName: (name) => `test-${name}`, settings } as Config;
  return new RegisteredDomainStore({ dynamo, config, clock: () => 0 });
}

const store = storeWith({ resolvers: ["127.0.0.1"], maxDomainsPerTeam: 3 });

const newDomain = (authorizedTeam?: string) => ({
  domain: `${randomUUID()}.example`,
  redirect: { kind: "none" as const },
  teamInvite: { kind: "allowed" as const },
  authorizedTeam,
});

const claimed = async (teamId: string) => (await store.claimedBy(teamId)).toSorted();

async function created(teamId?: string): Promise<DomainRegistration> {
  const registration = newDomain(teamId);
  await transact(dynamo, store.save(undefined, registration));
  return (await store.get(registration.domain)) as DomainRegistration;
}

describe("the store of registered domains", () => {
  it("lets one of two concurrent changes win", async () => {
    const registration = await created();
    const changes = (["locked", "no-registration"] as const).map((kind) =>
      transact(dynamo, store.save(registration, { ...registration, redirect: { kind } })),
    );
    const results = await Promise.allSettled(changes);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(results.find(({ status }) => status === "rejected")).toMatchObject({
      reason: expect.any(StaleReadError),
    });
  });

  it("refuses a change of a registration that was removed and created again", async () => {
    const registration = await created();
    await transact(dynamo, store.save(registration, undefined));
    await transact(dynamo, store.save(undefined, registration));
    await expect(transact(dynamo, store.save(registration, undefined))).rejects.toThrow(StaleReadError);
  });

  it("lists a domain only under the team that has claimed it", async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const registration = await created(one);
    expect(await claimed(one)).toEqual([registration.domain]);
    await transact(dynamo, store.save(registration, { ...registration, authorizedTeam: other }));
    expect([await claimed(one), await claimed(other)]).toEqual([[], [registration.domain]]);
    const moved = await store.get(registration.domain);
    await transact(dynamo, store.save(moved, undefined));
    expect(await claimed(other)).toEqual([]);
  });

  it("limits the domains of a team, even if it claims many concurrently", async () => {
    const teamId = randomUUID();
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => transact(dynamo, store.save(undefined, newDomain(teamId)))),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    for (const result of results.filter(({ status }) => status === "rejected")) {
      expect(result).toMatchObject({ reason: expect.any(TooManyDomainsError) });
    }
    expect(await claimed(teamId)).toHaveLength(3);
  });

  it("removes all domains of a team, and no others", async () => {
    const [teamId, other] = [randomUUID(), randomUUID()];
    const [mine, moved, theirs] = [await created(teamId), await created(teamId), await created(other)];
    await transact(dynamo, store.save(moved, { ...moved, authorizedTeam: other }));
    await store.removeAllOf(teamId);
    await store.removeAllOf(teamId);
    expect(await store.get(mine.domain)).toBeUndefined();
    expect(await claimed(teamId)).toEqual([]);
    expect(await claimed(other)).toEqual([moved.domain, theirs.domain].toSorted());
  });

  it("has no rules while the service is off", async () => {
    const { domain } = await created();
    const off = storeWith(null);
    expect(await off.rulesOf(domain)).toBeUndefined();
    expect((await store.rulesOf(domain))?.domain).toBe(domain);
  });
});
