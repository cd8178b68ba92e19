import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { mlsSelfConversationId } from "#shared/conversations/derived-ids.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { localDomain } from "../../support/connections.ts";
import { registerDevice } from "../../support/devices.ts";
import { storedEvents } from "../../support/events.ts";
import { newUser, type User } from "../../support/users.ts";

const create = ({ token }: User, version = 9) => api("POST", `/v${version}/conversations/self`, { token });
const getMls = ({ token }: User, version = 9) => api("GET", `/v${version}/conversations/mls-self`, { token });

const read = ({ token }: User, path: string) => api("GET", path, { token });
const pathOf = ({ id }: Pick<User, "id">) => `/v9/conversations/${localDomain}/${id}`;
const listed = async ({ token }: User, path: string, json: object) =>
  (await api("POST", path, { token, json })).body.qualified_conversations.map(({ id }: { id: string }) => id);

describe.concurrent("a user's self conversation", () => {
  const view = (user: User) => ({
    id: user.id,
    type: 1,
    members: { self: expect.objectContaining({ id: user.id }), others: [] },
  });
  const idsIn = (list: { id: string }[]) => list.map(({ id }) => id);

  it("exists from the beginning, whichever request needs it first", async () => {
    const first: readonly [string, (user: User) => Promise<unknown>, (user: User) => unknown][] = [
      [
        "list of ids",
        (user) => listed(user, "/v9/conversations/list-ids", {}),
        ({ id }) => expect.arrayContaining([id]),
      ],
      [
        "list of ids of version 2",
        (user) => listed(user, "/v2/conversations/list-ids", {}),
        ({ id }) => [id],
      ],
      [
        "list of unqualified ids",
        async (user) => (await read(user, "/v2/conversations/ids")).body.conversations,
        ({ id }) => [id],
      ],
      [
        "list of conversations",
        async (user) => (await read(user, "/v2/conversations")).body.conversations,
        (user) => [expect.objectContaining({ id: user.id, type: 1 })],
      ],
      [
        "request for some conversations",
        async (user) => {
          const qualified_ids = [{ domain: localDomain, id: user.id }];
          const json = { qualified_ids };
          return (await api("POST", "/v9/conversations/list", { token: user.token, json })).body;
        },
        (user) => ({ found: [expect.objectContaining(view(user))], not_found: [], failed: [] }),
      ],
      [
        "conversation",
        async (user) => (await read(user, pathOf(user))).body,
        (user) => expect.objectContaining(view(user)),
      ],
      [
        "membership",
        async (user) => (await read(user, `${pathOf(user)}/self`)).body,
        ({ id }) => expect.objectContaining({ id, conversation_role: "svc_admin" }),
      ],
      [
        "own settings",
        async ({ id, token }) =>
          outcome(await api("PUT", `${pathOf({ id })}/self`, { token, json: { otr_archived: true } })),
        () => "200",
      ],
      [
        "typing",
        async ({ id, token }) =>
          outcome(await api("POST", `${pathOf({ id })}/typing`, { token, json: { status: "started" } })),
        () => "200",
      ],
      [
        "another member",
        async ({ id, token }) =>
          outcome(await api("DELETE", `${pathOf({ id })}/members/${localDomain}/${id}`, { token })),
        () => "403 invalid-op",
      ],
    ];
    for (const [name, ask, expected] of first) {
      const user = await newUser();
      expect(await ask(user), name).toEqual(expected(user));
      expect((await create(user)).status, name).toBe(200);
    }
  });

  it("delivers messages to the user's other devices", async () => {
    const user = await newUser();
    const [phone, tablet] = [
      (await registerDevice(user)).body.id,
      (await registerDevice(user, { password: user.password })).body.id,
    ];
    const json = { sender: phone, recipients: { [user.id]: { [tablet]: "AQ==" } } };
    const sent = await api("POST", `/v9/conversations/${user.id}/otr/messages`, { token: user.token, json });
    expect(outcome(sent)).toBe("201");
    const [event] = await storedEvents(user.token, "conversation.otr-message-add");
    expect(event).toMatchObject({ conversation: user.id, data: { sender: phone, recipient: tablet } });
    expect(idsIn((await read(user, "/v2/conversations")).body.conversations)).toEqual([user.id]);
  });

  it("is created once when different requests need it at the same time", async () => {
    const user = await newUser();
    const paths = [pathOf(user), "/v2/conversations/ids", `${pathOf(user)}/self`, "/v2/conversations"];
    const answers = await Promise.all([...paths, ...paths].map((path) => read(user, path)));
    expect(answers.map(outcome)).toEqual(answers.map(() => "200"));
    expect((await read(user, "/v2/conversations/ids")).body.conversations).toEqual([user.id]);
    expect(await storedEvents(user.token, /conversation/)).toEqual([]);
  });

  it("exists for the internal API, too, unless no user has the id", async () => {
    const user = await newUser();
    const of = (id: string) => internalApi("GET", `/i/conversations/${id}`);
    expect((await of(user.id)).body).toMatchObject({
      id: user.id,
      type: 1,
      members: { others: [{ id: user.id }] },
    });
    expect(outcome(await of(randomUUID()))).toBe("404 no-conversation");
  });

  it("belongs to nobody else", async () => {
    const [user, other] = [await newUser(), await newUser()];
    expect(outcome(await read(other, pathOf(user)))).toBe("404 no-conversation");
    await create(user);
    expect(outcome(await read(other, pathOf(user)))).toBe("403 access-denied");
  });

  it("exists with MLS as well", async () => {
    const user = await newUser();
    const id = mlsSelfConversationId(user.id);
    expect((await read(user, pathOf({ id }))).body).toMatchObject({ id, type: 1, protocol: "mls", epoch: 0 });
  });
});

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
    const formOfV2 = { access_role: "private", access_role_v2: [] };
    expect(await create(user, 2)).toMatchObject({ status: 201, body: formOfV2 });
    expect(await create(user, 2)).toMatchObject({ status: 200, body: formOfV2 });
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
