import { expect, it } from "vitest";
import type { InternalApi } from "./internal-api.ts";
import { sessionsOf } from "./user-devices.ts";

it("the list of sessions leaves out cookies that have expired or were replaced", async () => {
  const cookie = { type: "persistent", label: null, created: "2026-01-01T00:00:00.000Z", successor: null };
  const [past, future] = ["2026-01-02T00:00:00.000Z", "9999-01-01T00:00:00.000Z"];
  const cookies = [
    { ...cookie, id: 1, expires: past },
    { ...cookie, id: 2, expires: future, successor: 3 },
    { ...cookie, id: 3, expires: future },
  ];
  const api = { read: async () => ({ cookies }) } as unknown as InternalApi;
  expect((await sessionsOf(api, "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60")).map(({ id }) => id)).toEqual([3]);
});
