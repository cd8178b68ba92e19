import { describe, expect, it } from "vitest";
import { api } from "../../support/api.ts";
import { storedEvents } from "../../support/events.ts";
import { newUser, type User } from "../../support/users.ts";

const create = ({ token }: User, version = 9) => api("POST", `/v${version}/conversations/self`, { token });
const getMls = ({ token }: User, version = 9) => api("GET", `/v${version}/conversations/mls-self`, { token });

describe.concurrent("POST /conversations/self", () => {
  it("creates a user's self conversation, once and without an event", async () => {
    const user = await newUser();
    const first = await create(user);
    expect(first).toMatchObject({
      status: 201,
      body: {
        id: user.id,
        type: 1,
        creator: user.id,
        access: ["private"],
        access_role: [],
        protocol: "proteus",
        group_conv_type: null,
        members: { self: { id: user.id, conversation_role: "svc_admin" }, others: [] },
      },
    });
    expect(first.headers.get("location")).toBe(user.id);
    const again = await create(user);
    expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body });
    expect(await storedEvents(user.token, /conversation/)).toEqual([]);
  });

  it("creates it once under concurrent requests", async () => {
    const user = await newUser();
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => create(user)))).map(
      ({ status }) => status,
    );
    expect(statuses.toSorted()).toEqual([...Array(7).fill(200), 201]);
  });

  it("shows it in the form of each version", async () => {
    const user = await newUser();
    expect(await create(user, 2)).toMatchObject({
      status: 201,
      body: { access_role: "private", access_role_v2: [] },
    });
    expect(await create(user, 3)).toMatchObject({ status: 200, body: { access_role: [] } });
  });
});

describe.concurrent("GET /conversations/mls-self", () => {
  it("creates a user's MLS self conversation, which stays the same", async () => {
    const user = await newUser();
    const first = await getMls(user);
    expect(first).toMatchObject({
      status: 200,
      body: {
        type: 1,
        protocol: "mls",
        epoch: 0,
        group_id: expect.any(String),
        members: { self: { id: user.id }, others: [] },
      },
    });
    expect(first.body.id).not.toBe(user.id);
    expect((await getMls(user)).body).toEqual(first.body);
  });

  it("creates none for HEAD, which changes nothing", async () => {
    const { token } = await newUser();
    for (const version of [5, 9]) {
      const { status, headers } = await api("HEAD", `/v${version}/conversations/mls-self`, { token });
      expect([status, headers.get("allow")]).toEqual([405, "GET"]);
    }
  });

  it("returns the same one to concurrent requests", async () => {
    const user = await newUser();
    const bodies = (await Promise.all(Array.from({ length: 8 }, () => getMls(user)))).map(({ body }) => body);
    for (const body of bodies) expect(body).toEqual(bodies[0]);
  });

  it("exists from version 5 on, in which it shows the time of the epoch", async () => {
    const user = await newUser();
    expect((await getMls(user, 4)).status).toBeGreaterThanOrEqual(400);
    expect((await getMls(user, 5)).body).toMatchObject({ epoch_timestamp: null, cipher_suite: 1 });
    expect((await getMls(user, 6)).body).not.toHaveProperty("cipher_suite");
  });
});
