import { expect, it } from "vitest";
import { createTurns } from "./turns.ts";

it("tasks with one key run one after another, even when one fails, and others do not wait for them", async () => {
  const inTurn = createTurns();
  const first = Promise.withResolvers<void>();
  const order: string[] = [];
  const run = (key: string, name: string, until?: Promise<void>) =>
    inTurn(key, async () => {
      order.push(`${name} begins`);
      await until;
      order.push(`${name} ends`);
      return name;
    });
  const failing = expect(run("a", "first", first.promise)).rejects.toThrow("fails");
  const second = run("a", "second");
  expect(await run("b", "other")).toBe("other");
  first.reject(new Error("fails"));
  await failing;
  expect(await second).toBe("second");
  expect(order).toEqual(["first begins", "other begins", "other ends", "second begins", "second ends"]);
});
