import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { allDone } from "./all-done.ts";

const rejectLate = async (reason: string) => {
  await setImmediate();
  throw new Error(reason);
};

it("returns the results of all tasks in their order", async () => {
  expect(await allDone([setImmediate("late"), "known", Promise.resolve(1)])).toEqual(["late", "known", 1]);
});

it("rejects with the failure that comes first in the list, even if another one is faster", async () => {
  const tasks = [Promise.resolve(), rejectLate("first"), Promise.reject(new Error("fastest"))];
  await expect(allDone(tasks)).rejects.toThrow("first");
});

it("settles only once all tasks have", async () => {
  let isDone = false;
  const task = setImmediate().then(() => {
    isDone = true;
  });
  await expect(allDone([Promise.reject(new Error("early")), task])).rejects.toThrow("early");
  expect(isDone).toBe(true);
});
