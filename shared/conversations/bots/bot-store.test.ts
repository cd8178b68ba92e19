import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Config } from "#shared/platform/config.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import type { Bot } from "./bot.ts";
import { BotStore } from "./bot-store.ts";

const dynamo = createDynamo();
const config = { tableName: (name) => `test-${name}` } as Config;
const store = new BotStore({ dynamo, config, clock: Date.now });

const newService = () => ({ providerId: randomUUID(), serviceId: randomUUID() });

async function newBot(service: Pick<Bot, "providerId" | "serviceId">, teamId?: string): Promise<Bot> {
  const bot = { ...service, botId: randomUUID(), conversationId: randomUUID(), ...(teamId && { teamId }) };
  await transact(dynamo, [store.create(bot)]);
  return bot;
}

async function all(bots: AsyncIterable<Bot>): Promise<Bot[]> {
  const found: Bot[] = [];
  for await (const bot of bots) found.push(bot);
  return found;
}

const idsOf = async (bots: AsyncIterable<Bot>) => sortedIds(...(await all(bots)));
const sortedIds = (...bots: Bot[]) => bots.map(({ botId }) => botId).toSorted();

describe.concurrent("the store of bots", () => {
  it("lists the bots of a service, and those in conversations of a team", async () => {
    const service = newService();
    const [teamId, otherTeam] = [randomUUID(), randomUUID()];
    const [first, second] = [await newBot(service, teamId), await newBot(service, teamId)];
    const [elsewhere, free] = [await newBot(service, otherTeam), await newBot(service)];
    await newBot(newService(), teamId);
    await newBot({ ...newService(), providerId: service.providerId }, teamId);
    expect(await idsOf(store.ofService(service))).toEqual(sortedIds(first, second, elsewhere, free));
    expect(await idsOf(store.ofServiceInTeam(service, teamId))).toEqual(sortedIds(first, second));
    expect(await all(store.ofServiceInTeam(service, otherTeam))).toEqual([elsewhere]);
  });

  it("forgets a bot that is removed, even repeatedly", async () => {
    const service = newService();
    const bots = [await newBot(service, randomUUID()), await newBot(service)];
    for (const bot of [...bots, ...bots]) await transact(dynamo, [store.remove(bot)]);
    expect(await idsOf(store.ofService(service))).toEqual([]);
  });
});
