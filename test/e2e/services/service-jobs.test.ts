import { beforeAll, describe, expect, it } from "vitest";
import { itemsMentioning } from "../../support/all-items.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { newService, type Provider, putOnList, type Service, serviceData } from "../../support/services.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { type Apis, newUser, type User } from "../../support/users.ts";

const data = serviceData();
const shared: Apis = { publicApi: api, internalApi };

const removeService = ({ token, password }: Provider, { id }: Service, { publicApi } = shared) =>
  publicApi("DELETE", `/provider/services/${id}`, { token, json: { password } });

/** A team that admits a service, with a group of its owner and a bot. */
async function newTeamWithBot() {
  const [team, provider] = await Promise.all([newTeam(), data.newProvider()]);
  const service = await newService(provider);
  expect(outcome(await putOnList(team, team.owner, service))).toBe("200");
  const group = await data.newGroupWithBot(service, [team.owner], { team });
  return { team, provider, service, group };
}

const leavesSeenBy = async ({ token }: Pick<User, "token">, { publicApi } = shared) => {
  const events = await storedEvents(token, "conversation.member-leave", publicApi);
  return events.map(({ conversation, from, data: left }) => ({ conversation, from, ...Object(left) }));
};

const membersOf = async ({ id }: { id: string }, { token }: Pick<User, "token">) => {
  const { body } = await api("GET", `/v2/conversations/${localDomain}/${id}`, { token });
  return body.members.others.map(({ id: userId }: { id: string }) => userId);
};

describe.concurrent("deleting a service", () => {
  it("removes all its bots from their conversations, in their own names, and no others", async () => {
    const { team, provider, service, group } = await newTeamWithBot();
    const [user, other] = await Promise.all([newUser(), newService(provider)]);
    const [personal, unaffected] = await Promise.all([
      data.newGroupWithBot(service, [user]),
      data.newGroupWithBot(other, [user]),
    ]);
    expect(outcome(await removeService(provider, service))).toBe("202");
    for (const { botId } of [group, personal]) {
      await eventually(async () => expect(await data.statusOf(botId)).toBe("deleted"));
    }
    await eventually(async () => {
      expect(await leavesSeenBy(team.owner)).toMatchObject([
        { conversation: group.id, from: group.botId, user_ids: [group.botId], reason: "removed" },
      ]);
      expect(await leavesSeenBy(user)).toMatchObject([
        { conversation: personal.id, from: personal.botId, user_ids: [personal.botId] },
      ]);
    });
    expect(await membersOf(group, team.owner)).toEqual([]);
    expect(await membersOf(unaffected, user)).toEqual([unaffected.botId]);
    expect(await data.statusOf(unaffected.botId)).toBe("active");
    await eventually(async () => {
      const id = { providerId: provider.id, serviceId: service.id };
      expect(await data.services.getEvenDeleted(id)).toBeUndefined();
    });
  });

  it("makes room for another service", async () => {
    const provider = await data.newProvider();
    const stack = await stackWith({ services: { maxPerProvider: 1 } });
    const service = await newService(provider, {}, stack);
    await expect(newService(provider, {}, stack)).rejects.toThrow("403");
    await removeService(provider, service, stack);
    await eventually(() => newService(provider, {}, stack));
  });
});

describe.concurrent("taking a service off the list of a team", () => {
  it("removes its bots from all conversations of the team, in the name of the caller", async () => {
    const { team, service, group } = await newTeamWithBot();
    const [admin, member, otherTeam] = await Promise.all([team.add("admin"), team.add(), newTeam()]);
    const [withoutAdmin, personal, ofOther] = await Promise.all([
      data.newGroupWithBot(service, [member], { team }),
      data.newGroupWithBot(service, [member]),
      data.newGroupWithBot(service, [otherTeam.owner], { team: otherTeam }),
    ]);
    expect(outcome(await putOnList(team, admin, service, false))).toBe("200");
    await eventually(async () => {
      expect(await leavesSeenBy(team.owner)).toMatchObject([
        { conversation: group.id, from: admin.id, user_ids: [group.botId], reason: "removed" },
      ]);
      expect(await leavesSeenBy(member)).toMatchObject([
        { conversation: withoutAdmin.id, from: admin.id, user_ids: [withoutAdmin.botId] },
      ]);
    });
    for (const { botId } of [group, withoutAdmin]) expect(await data.statusOf(botId)).toBe("deleted");
    for (const { botId } of [personal, ofOther]) expect(await data.statusOf(botId)).toBe("active");
  });
});

describe.concurrent("deleting a team", () => {
  it("empties its list", async () => {
    const { team, service, group } = await newTeamWithBot();
    const { token, password } = team.owner;
    expect(outcome(await api("DELETE", `/teams/${team.id}`, { token, json: { password } }))).toBe("202");
    await eventually(async () => {
      expect((await internalApi("GET", `/i/teams/${team.id}`)).body.status).toBe("deleted");
      expect(await data.statusOf(group.botId)).toBe("deleted");
    });
    expect(await data.teamsWith(service.id)).toEqual([]);
  });
});

describe.concurrent("deleting a provider", () => {
  it("deletes its services with their bots, and frees its address", async () => {
    const { team, provider, service, group } = await newTeamWithBot();
    const [other, idle] = await Promise.all([newService(provider), newService(provider, { enabled: false })]);
    const user = await newUser();
    const personal = await data.newGroupWithBot(other, [user]);
    const { email = "" } = (await data.providers.get(provider.id)) ?? {};
    const answer = await api("DELETE", "/provider", {
      token: provider.token,
      json: { password: provider.password },
    });
    expect(outcome(answer)).toBe("200");
    await eventually(async () => expect(await data.providers.findOwner(email)).toBeUndefined());
    for (const { botId } of [group, personal]) expect(await data.statusOf(botId)).toBe("deleted");
    for (const { id } of [service, other, idle]) {
      expect(
        (await api("GET", `/providers/${provider.id}/services/${id}`, { token: user.token })).status,
      ).toBe(404);
    }
    expect(await data.services.ofProviderWithDeleted(provider.id)).toEqual([]);
    expect(await data.teamsWith(service.id)).toEqual([]);
    await eventually(async () => {
      expect(await leavesSeenBy(team.owner)).toMatchObject([{ conversation: group.id, from: group.botId }]);
    });
  });
});

describe("the jobs of services", () => {
  let stack: OwnStack;
  let team: Team;
  let own: ReturnType<typeof serviceData>;
  beforeAll(async () => {
    stack = await ownStack();
    own = serviceData(stack);
    team = await newTeam({}, stack);
  });

  /** A provider with one service in two lists and with two bots, and the users who see the bots. */
  async function newUsedService() {
    const [provider, otherTeam, reader] = await Promise.all([
      own.newProvider(),
      newTeam({}, stack),
      newUser({}, stack),
    ]);
    const service = await newService(provider, {}, stack);
    for (const { id, owner } of [team, otherTeam]) {
      expect(outcome(await putOnList({ id }, owner, service, true, stack))).toBe("200");
    }
    const bots = await Promise.all([
      own.newGroupWithBot(service, [reader], { team }),
      own.newGroupWithBot(service, [reader]),
    ]);
    return { provider, service, reader, botIds: bots.map(({ botId }) => botId).toSorted() };
  }

  /** Ids of the bots whose departure the reader has seen. */
  const leftBefore = async (reader: User) =>
    (await leavesSeenBy(reader, stack)).flatMap(({ user_ids }) => user_ids).toSorted();

  const remains = async (id: string) =>
    (await itemsMentioning(id, stack.prefix, ["services"])).services ?? [];

  it.concurrent("end after their worker was killed at any of its writes, and remove each bot once", async () => {
    const deaths = ["dies-before", "dies-after"] as const;
    const plans = await Promise.all(
      [1, 2, 3, 4, 5].flatMap((write) =>
        deaths.map(async (fault) => ({ write, fault, written: 0, ...(await newUsedService()) })),
      ),
    );
    const end = injectFaults(({ service, action, body }) => {
      if (service !== "dynamodb" || action !== "TransactWriteItems" || body.includes("delete-service"))
        return undefined;
      const plan = plans.find((one) => body.includes(one.service.id));
      return plan && ++plan.written === plan.write ? plan.fault : undefined;
    });
    for (const { provider, service } of plans) {
      expect(outcome(await removeService(provider, service, stack))).toBe("202");
    }
    for (const { service, reader, botIds } of plans) {
      await eventually(async () => expect(await remains(service.id)).toEqual([]));
      await eventually(async () => expect(await leftBefore(reader)).toEqual(botIds));
    }
    end();
    for (const plan of plans) expect(plan.written).toBeGreaterThanOrEqual(plan.write);
  });

  it.concurrent("delete a provider although their worker was killed at any of its writes", async () => {
    const deaths = ["dies-before", "dies-after"] as const;
    const plans = await Promise.all(
      [1, 2, 4, 5].flatMap((write) =>
        deaths.map(async (fault) => ({ write, fault, written: 0, ...(await newUsedService()) })),
      ),
    );
    const end = injectFaults(({ service, action, body }) => {
      if (service !== "dynamodb" || action !== "TransactWriteItems" || body.includes("delete-provider"))
        return undefined;
      const plan = plans.find((one) => body.includes(one.provider.id));
      return plan && ++plan.written === plan.write ? plan.fault : undefined;
    });
    for (const { provider } of plans) {
      const { token, password } = provider;
      expect(outcome(await stack.publicApi("DELETE", "/provider", { token, json: { password } }))).toBe(
        "200",
      );
    }
    for (const { provider, reader, botIds } of plans) {
      await eventually(async () => expect(await remains(provider.id)).toEqual([]));
      await eventually(async () => expect(await leftBefore(reader)).toEqual(botIds));
    }
    end();
    for (const plan of plans) expect(plan.written).toBeGreaterThanOrEqual(plan.write);
  });

  it("keep the remaining bots when a team admits their service again", async () => {
    const { service, botIds, reader } = await newUsedService();
    const endFaults = injectFaults(({ service: aws, action, body }) =>
      aws === "sqs" && action.startsWith("SendMessage") && body.includes("service-jobs")
        ? "ignored"
        : undefined,
    );
    for (const isAdmitted of [false, true]) {
      expect(outcome(await putOnList(team, team.owner, service, isAdmitted, stack))).toBe("200");
    }
    const pending = async () => (await itemsMentioning("leave-team", stack.prefix, ["outbox"])).outbox;
    expect(await pending()).toHaveLength(1);
    endFaults();
    stack.advance(120);
    await eventually(async () => expect(await pending()).toBeUndefined());
    expect(await leftBefore(reader)).toEqual([]);
    for (const botId of botIds) expect(await own.statusOf(botId)).toBe("active");
  });
});
