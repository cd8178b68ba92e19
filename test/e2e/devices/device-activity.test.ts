import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api } from "../../support/api.ts";
import { registerDevice } from "../../support/devices.ts";
import { eventually } from "../../support/eventually.ts";
import { openSocket } from "../../support/socket.ts";
import { stackWith } from "../../support/stack-with.ts";
import { type Apis, newUser, type User } from "../../support/users.ts";

const weekMilliseconds = 604_800_000;

/** The end of the week that contains a time, as the API shows it. */
const weekEnd = (time: number) =>
  new Date(Math.ceil(time / weekMilliseconds) * weekMilliseconds).toISOString().replace(".000Z", "Z");

/** Values that the API may show of an activity between a time and now: a week may end meanwhile. */
const endsSince = (time: number) => [weekEnd(time), weekEnd(Date.now())];

async function newOwner(apis?: Apis): Promise<User & { clientId: string }> {
  const user = await newUser({}, apis);
  const { body } = await registerDevice(user, {}, { publicApi: apis?.publicApi });
  return { ...user, clientId: body.id };
}

async function lastActive(
  { token, clientId }: { token: string; clientId: string },
  { publicApi = api }: Partial<Apis> = {},
) {
  const { body } = await publicApi("GET", `/v8/clients/${clientId}`, { token });
  return body.last_active;
}

describe.concurrent("last_active of a device", () => {
  it("is absent until the device first fetches notifications", async () => {
    expect(await lastActive(await newOwner())).toBeUndefined();
  });

  it.each(["/notifications", "/v8/notifications", "/v8/notifications/last"])(
    "is the end of the week in which the device last fetched %s",
    async (path) => {
      const owner = await newOwner();
      const startedAt = Date.now();
      const answer = await api("GET", `${path}?client=${owner.clientId}`, owner);
      expect([200, 404]).toContain(answer.status);
      expect(endsSince(startedAt)).toContain(await lastActive(owner));
      const { body } = await api("GET", "/v8/clients", owner);
      expect(endsSince(startedAt)).toContain(body[0].last_active);
    },
  );

  it("is set even when since is unknown", async () => {
    const owner = await newOwner();
    const path = `/v8/notifications?client=${owner.clientId}&since=${randomUUID()}`;
    const startedAt = Date.now();
    expect((await api("GET", path, owner)).status).toBe(400);
    expect(endsSince(startedAt)).toContain(await lastActive(owner));
  });

  it.each([
    ["/await", "client"],
    ["/v8/events", "client_id"],
  ])("is set when the device opens a socket at %s", async (path, parameter) => {
    const owner = await newOwner();
    const startedAt = Date.now();
    const socket = await openSocket(path, { token: owner.token, query: { [parameter]: owner.clientId } });
    await eventually(async () => expect(endsSince(startedAt)).toContain(await lastActive(owner)));
    await socket.close();
  });

  it("is not changed by a fetch without a device, or with somebody else's", async () => {
    const [owner, stranger] = await Promise.all([newOwner(), newUser()]);
    await api("GET", "/v8/notifications", owner);
    await api("GET", "/v8/notifications/last", owner);
    for (const client of [owner.clientId, "c0ffee", "__proto__"]) {
      expect((await api("GET", `/v8/notifications?client=${client}`, stranger)).status).toBe(200);
    }
    expect(await lastActive(owner)).toBeUndefined();
    expect((await api("GET", "/v8/clients", stranger)).body).toEqual([]);
  });

  it("advances week by week, and only when the device fetches", async () => {
    const apis = await stackWith({}, { isClockStopped: true });
    const { cookie, clientId } = await newOwner(apis);
    const logInAgain = async () => {
      const { body } = await apis.publicApi("POST", "/access", { cookie });
      return { clientId, token: body.access_token };
    };
    for (let week = 0; week < 2; week++) {
      const before = await logInAgain();
      await apis.publicApi("GET", `/v8/notifications?client=${clientId}`, before);
      const recorded = weekEnd(apis.clock());
      expect(await lastActive(before, apis)).toBe(recorded);
      apis.advance(7 * 86_400);
      expect(await lastActive(await logInAgain(), apis)).toBe(recorded);
    }
  });
});
