import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { allDone } from "./all-done.ts";

const rejectLate = async (reason: string) => {
  await setImmediate();
  throw new Error(reason);
};

it("allDone returns the results of all tasks in their order", async () => {
  expect(await allDone([setImmediate("late"), "known", Promise.resolve(1)])).toEqual(["late", "known", 1]);
});

it("allDone rejects with the first failure in the list, even if another one is faster", async () => {
  const tasks = [Promise.resolve(), rejectLate("first"), Promise.reject(new Error("fastest"))];
  await expect(allDone(tasks)).rejects.toThrow("first");
});

it("allDone settles only once all tasks have settled", async () => {
  let isDone = false;
  const task = setImmediate().then(() => {
    isDone = true;
  });
  await expect(allDone([Promise.reject(new Error("early")), task])).rejects.toThrow("early");
  expect(isDone).toBe(true);
});
