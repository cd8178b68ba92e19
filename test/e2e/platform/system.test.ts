import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser } from "../../support/users.ts";

const { token } = await newUser();

describe.concurrent("system settings", () => {
  it("tell everybody whether registration is restricted, and only users whether MLS is enabled", async () => {
    expect((await api("GET", "/system/settings/unauthorized")).body).toEqual({
      setRestrictUserCreation: false,
    });
    expect((await api("GET", "/system/settings", { token })).body).toEqual({
      setRestrictUserCreation: false,
      setEnableMls: true,
    });
    expect(outcome(await api("GET", "/system/settings"))).toBe("401 unauthorized");
  });

  it("are those of the stage", async () => {
    const { publicApi } = await stackWith({ setRestrictUserCreation: true });
    const { body } = await publicApi("GET", "/v9/system/settings/unauthorized");
    expect(body).toEqual({ setRestrictUserCreation: true });
  });
});

it("the time is returned in whole seconds, from version 9 on", async () => {
  const before = Date.now();
  const { body } = await api("GET", "/v9/time", { token });
  expect(body.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  expect(Date.parse(body.time)).toBeGreaterThan(before - 1000);
  expect(Date.parse(body.time)).toBeLessThanOrEqual(Date.now());
  expect(outcome(await api("GET", "/v8/time", { token }))).toBe("404 no-endpoint");
});

it("the look-up of an address book finds nobody, up to version 7", async () => {
  const json = { self: [], cards: [{ contact: ["aGFzaA=="], card_id: "1" }] };
  const { status, body } = await api("POST", "/onboarding/v3", { token, json });
  expect({ status, body }).toEqual({ status: 200, body: { results: [], "auto-connects": [] } });
  expect(outcome(await api("POST", "/v8/onboarding/v3", { token, json }))).toBe("404 no-endpoint");
});
