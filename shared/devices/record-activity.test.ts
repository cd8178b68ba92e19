import { expect, it, vi } from "vitest";
import { recordActivity } from "./record-activity.ts";

it("recording activity logs a warning instead of failing when it cannot be stored", async () => {
  const problem = new Error("no database");
  const devices = { recordActivity: () => Promise.reject(problem) };
  const warn = vi.fn();
  await recordActivity({ clock: Date.now, devices, log: { warn } } as never, "user", "c0ffee");

  expect(warn).toHaveBeenCalledWith("activity-not-noted", {
    userId: "user",
    clientId: "c0ffee",
    error: problem,
  });
});

it("recording activity does nothing without a device", async () => {
  const noteNothing = vi.fn();
  await recordActivity(
    { clock: Date.now, devices: { recordActivity: noteNothing }, log: {} } as never,
    "user",
    undefined,
  );
  expect(noteNothing).not.toHaveBeenCalled();
});
