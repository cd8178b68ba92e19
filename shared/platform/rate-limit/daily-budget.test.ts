import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { withLostAnswers } from "../../../test/support/faults.ts";
import type { Config } from "../config.ts";
import { transact } from "../data/conditions.ts";
import { createDynamo } from "../data/dynamo.ts";
import { DailyBudget } from "./daily-budget.ts";
import { RateLimitedError } from "./token-bucket.ts";

const config = { tableName: (name) => `test-${name}` } as Config;
const dynamo = createDynamo();

/** A budget whose clock shows this time of a day. */
const budgetAt = (day: number, seconds: number) =>
  new DailyBudget({ dynamo, config, clock: () => (day * 86_400 + seconds) * 1000 });

describe("a daily budget", () => {
  it("is spent exactly by 80 concurrent requests, and refuses the others until midnight", async () => {
    const [budget, name] = [budgetAt(20_000, 86_000), randomUUID()];
    const spending = Array.from({ length: 80 }, () => budget.spend(name, 2, 60));
    const results = await Promise.allSettled(spending);
    const refusals = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect(refusals).toHaveLength(50);
    for (const refusal of refusals) {
      expect(refusal).toBeInstanceOf(RateLimitedError);
      expect(refusal).toMatchObject({ retryAfterSeconds: 400 });
    }
  });

  it("starts again the next day", async () => {
    const name = randomUUID();
    await budgetAt(20_000, 86_399).spend(name, 5, 5);
    await expect(budgetAt(20_000, 86_399).spend(name, 1, 5)).rejects.toThrow(RateLimitedError);
    await budgetAt(20_001, 0).spend(name, 5, 5);
  });

  it("refuses an amount above the limit, and leaves the rest to smaller ones", async () => {
    const [budget, name] = [budgetAt(20_000, 0), randomUUID()];
    await expect(budget.spend(name, 6, 5)).rejects.toThrow(RateLimitedError);
    await budget.spend(name, 4, 5);
    await expect(budget.spend(name, 2, 5)).rejects.toThrow(RateLimitedError);
    await budget.spend(name, 1, 5);
  });

  it("is spent once even if DynamoDB's answers are lost", async () => {
    const [budget, name] = [budgetAt(20_000, 0), randomUUID()];
    await withLostAnswers(() => budget.spend(name, 3, 5));
    await budget.spend(name, 2, 5);
    await expect(budget.spend(name, 1, 5)).rejects.toThrow(RateLimitedError);
  });

  it("is spent in a transaction only if that is committed", async () => {
    const [budget, name] = [budgetAt(20_000, 0), randomUUID()];
    await transact(dynamo, budget.spendWrites(name, 3, 5));
    const refused = [...budget.spendWrites(`${name}-other`, 1, 5), ...budget.spendWrites(name, 3, 5)];
    await expect(transact(dynamo, refused)).rejects.toThrow(RateLimitedError);
    await budget.spend(`${name}-other`, 5, 5);
  });

  it("has no limit if the setting is null", async () => {
    const budget = budgetAt(20_000, 0);
    await budget.spend(randomUUID(), 1e9, null);
    expect(budget.spendWrites(randomUUID(), 1e9, null)).toEqual([]);
  });

  describe("of several that are spent together", () => {
    const namesOf = (count: number) => Array.from({ length: count }, () => randomUUID());

    it("is spent exactly by 20 concurrent requests, even if others are left or spent", async () => {
      const [budget, names] = [budgetAt(20_000, 86_000), namesOf(30)];
      const [used = "", ...fresh] = names;
      await budget.spend(used, 5, 10);
      const spending = Array.from({ length: 20 }, () => budget.spendEach(names.toSorted(), 10));
      const refusals = (await Promise.all(spending)).flatMap((spent) => [...spent]);
      const refusedOf = (name: string) => refusals.filter(([refused]) => refused === name).length;
      expect([used, ...fresh].map(refusedOf)).toEqual([15, ...fresh.map(() => 10)]);
      for (const [, refusal] of refusals) expect(refusal).toMatchObject({ retryAfterSeconds: 400 });
    });

    it("takes at most two calls for 25 of them", async () => {
      const [budget, names] = [budgetAt(20_000, 0), namesOf(25)];
      const send = vi.spyOn(dynamo, "send");
      onTestFinished(() => send.mockRestore());
      await budget.spendEach(names, 2);
      expect(send).toHaveBeenCalledTimes(1);
      await budget.spendEach(names, 2);
      expect(send).toHaveBeenCalledTimes(3);
    });

    it("has no limit if the setting is null", async () => {
      expect(await budgetAt(20_000, 0).spendEach(namesOf(30), null)).toEqual(new Map());
    });
  });
});
