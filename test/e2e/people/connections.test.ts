import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { oneToOneConversationId } from "#shared/conversations/derived-ids.ts";
import { conversationGroup } from "#shared/events/publisher.ts";
import { StaleReadError } from "#shared/platform/data/conditions.ts";
import { type Api, type ApiAnswer, api, internalApi, outcome } from "../../support/api.ts";
import {
  connectionData,
  connectUsers,
  localDomain,
  requestConnection,
  updateConnection,
} from "../../support/connections.ts";
import { eventSource } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { openSocket, type TestSocket } from "../../support/socket.ts";
import { stackWith } from "../../support/stack-with.ts";
import { joinTeam, newTeam } from "../../support/teams.ts";
import { newEmail, newUser, register, type User } from "../../support/users.ts";

const events = eventSource();
const data = connectionData();

/** Sends requests that are refused. */
let somebody: User;
beforeAll(async () => {
  somebody = await newUser();
});

const newUsers = (count: number, names: readonly string[] = []) =>
  Promise.all(Array.from({ length: count }, (_, index) => newUser({ name: names[index] ?? "Ada" })));
const twoUsers = (...names: string[]) => newUsers(2, names) as Promise<[User, User]>;
const threeUsers = () => newUsers(3) as Promise<[User, User, User]>;

/** Every pair of some users, once. */
const pairsOf = (users: readonly User[]): [User, User][] =>
  users.flatMap((one, index) => users.slice(index + 1).map((other): [User, User] => [one, other]));

const pathOf = ({ id }: Pick<User, "id">, prefix = "") => `${prefix}/connections/${localDomain}/${id}`;
const getSide = ({ token }: User, peer: User, publicApi: Api = api) =>
  publicApi("GET", pathOf(peer), { token });

/** Status of each side; `none` where there is no connection. */
async function sides(one: User, other: User, publicApi: Api = api): Promise<[string, string]> {
  const answers = await Promise.all([getSide(one, other, publicApi), getSide(other, one, publicApi)]);
  return answers.map(({ status, body }) => (status === 404 ? "none" : body.status)) as [string, string];
}

const viewOf = (user: User, peer: User, status: string) => ({
  from: user.id,
  to: peer.id,
  qualified_to: { domain: localDomain, id: peer.id },
  status,
  conversation: oneToOneConversationId(user.id, peer.id),
  qualified_conversation: { domain: localDomain, id: oneToOneConversationId(user.id, peer.id) },
  last_update: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
});
const eventOf = (user: User, peer: User, status: string, name?: string) => ({
  type: "user.connection",
  connection: viewOf(user, peer, status),
  ...(name !== undefined && { user: { name } }),
});

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
type AnyEvent = any;

/** Events of a user so far about a peer, oldest first. */
async function eventsOf({ token }: User, peer: User): Promise<AnyEvent[]> {
  const { body } = await api("GET", "/notifications?size=10000", { token });
  return body.notifications
    .flatMap(({ payload }: { payload: AnyEvent[] }) => payload)
    .filter((event: AnyEvent) => event.connection?.to === peer.id);
}

/** Events of a user about a peer, once all have been delivered. */
async function settledEventsOf(user: User, peer: User): Promise<AnyEvent[]> {
  await passMarker(user);
  return eventsOf(user, peer);
}

/** Waits until a user has received an event that follows all earlier ones in the same order. */
async function passMarker({ id, token }: User, sender = id): Promise<void> {
  const number = Math.floor(Math.random() * 1e9);
  await events.publish({ number, to: [{ userId: id }], sender });
  await eventually(async () => {
    const { body } = await api("GET", "/notifications?size=10000", { token });
    expect(JSON.stringify(body)).toContain(`"number":${number}}`);
  });
}

/** Events of a socket without markers; several that wait for the same log share a frame. */
const eventsIn = (frames: TestSocket["frames"]): AnyEvent[] =>
  frames.flatMap(({ payload }) => payload).filter(({ type }) => type !== "test.numbered");

const statusesIn = (list: AnyEvent[]) => list.map(({ connection }) => connection.status);

describe.concurrent("a connection request", () => {
  it("is `sent` on one side and `pending` on the other, and both users are notified", async () => {
    const [ada, bob] = await twoUsers("Ada", "Bob");
    await passMarker(bob);
    const socket = await openSocket("/await", { token: bob.token });
    const answer = await requestConnection(ada, bob);

    expect(answer.status).toBe(201);
    expect(answer.body).toEqual(viewOf(ada, bob, "sent"));
    expect((await getSide(ada, bob)).body).toEqual(answer.body);
    expect((await getSide(bob, ada)).body).toEqual(viewOf(bob, ada, "pending"));
    expect(await settledEventsOf(ada, bob)).toEqual([eventOf(ada, bob, "sent")]);
    expect(await settledEventsOf(bob, ada)).toEqual([eventOf(bob, ada, "pending", "Ada")]);
    await socket.until((frames) => eventsIn(frames).length > 0);
    expect(eventsIn(socket.frames)).toEqual([eventOf(bob, ada, "pending", "Ada")]);
  });

  it("is sent to the user's other connections, but not to the one that made it", async () => {
    const [ada, bob] = await twoUsers();
    await passMarker(ada);
    const [acting, other] = await Promise.all([
      openSocket("/await", { token: ada.token }),
      openSocket("/await", {
        token: (await api("POST", "/access", { cookie: ada.cookie })).body.access_token,
      }),
    ]);
    await requestConnection(ada, bob);
    await other.until((frames) => eventsIn(frames).length >= 3);
    await Promise.all([
      passMarker(ada),
      passMarker(ada, conversationGroup(oneToOneConversationId(ada.id, bob.id))),
    ]);

    const payload = eventsIn(other.frames);
    expect(payload).toContainEqual(eventOf(ada, bob, "sent"));
    expect(payload.map(({ type }) => type).toSorted()).toEqual([
      "conversation.connect-request",
      "conversation.create",
      "user.connection",
    ]);
    expect(JSON.stringify(acting.frames)).not.toMatch(/user\.connection|conversation\./);
  });

  it("connects two users who send each other one, and notifies both", async () => {
    const [ada, bob] = await twoUsers("Ada", "Bob");
    await requestConnection(ada, bob);
    const answer = await requestConnection(bob, ada);

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(viewOf(bob, ada, "accepted"));
    expect(await sides(ada, bob)).toEqual(["accepted", "accepted"]);
    expect(await settledEventsOf(bob, ada)).toEqual([
      eventOf(bob, ada, "pending", "Ada"),
      eventOf(bob, ada, "accepted"),
    ]);
    expect(await settledEventsOf(ada, bob)).toEqual([
      eventOf(ada, bob, "sent"),
      eventOf(ada, bob, "accepted", "Bob"),
    ]);
  });

  it("changes nothing and notifies nobody when the users are already connected", async () => {
    const [ada, bob] = await twoUsers();
    await connectUsers(ada, bob);
    const before = (await getSide(ada, bob)).body;
    const answer = await requestConnection(ada, bob);

    expect(answer).toMatchObject({ status: 200, body: before });
    expect(statusesIn(await settledEventsOf(ada, bob))).toEqual(["sent", "accepted"]);
    expect(statusesIn(await settledEventsOf(bob, ada))).toEqual(["pending", "accepted"]);
  });

  it("does not notify the other user again when it is repeated", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    expect(await requestConnection(ada, bob)).toMatchObject({ status: 200, body: { status: "sent" } });

    expect(await sides(ada, bob)).toEqual(["sent", "pending"]);
    expect(statusesIn(await settledEventsOf(ada, bob))).toEqual(["sent", "sent"]);
    expect(statusesIn(await settledEventsOf(bob, ada))).toEqual(["pending"]);
  });

  it("becomes pending again when it is repeated after being ignored, though its sender never sees that it was ignored", async () => {
    const [ada, bob] = await twoUsers("Ada", "Bob");
    await requestConnection(ada, bob);
    expect((await updateConnection(bob, ada, "ignored")).status).toBe(200);
    expect(await sides(ada, bob)).toEqual(["sent", "ignored"]);
    expect((await requestConnection(ada, bob)).status).toBe(200);

    expect(await sides(ada, bob)).toEqual(["sent", "pending"]);
    expect(await settledEventsOf(ada, bob)).toEqual([eventOf(ada, bob, "sent"), eventOf(ada, bob, "sent")]);
    expect(await settledEventsOf(bob, ada)).toEqual([
      eventOf(bob, ada, "pending", "Ada"),
      eventOf(bob, ada, "ignored"),
      eventOf(bob, ada, "pending", "Ada"),
    ]);
  });

  it("looks like any other to a sender who is blocked, and notifies nobody", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(bob, ada);
    await updateConnection(ada, bob, "blocked");
    expect(await requestConnection(bob, ada)).toMatchObject({ status: 200, body: { status: "sent" } });
    await updateConnection(bob, ada, "cancelled");
    expect(await requestConnection(bob, ada)).toMatchObject({
      status: 200,
      body: viewOf(bob, ada, "sent"),
    });

    expect(await sides(ada, bob)).toEqual(["blocked", "sent"]);
    expect(statusesIn(await settledEventsOf(ada, bob))).toEqual(["pending", "blocked"]);
    expect(statusesIn(await settledEventsOf(bob, ada))).toEqual(["sent", "cancelled"]);
  });

  it("starts again after an earlier one was withdrawn", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    await updateConnection(ada, bob, "cancelled");
    expect((await requestConnection(bob, ada)).status).toBe(200);

    expect(await sides(ada, bob)).toEqual(["pending", "sent"]);
  });

  it("returns 400 invalid-user for oneself, and for unknown, unactivated or deleted users", async () => {
    const [ada, gone] = await twoUsers();
    await data.markDeleted(gone);
    const { body: unactivated } = await register({ email: newEmail() });
    const { body: anonymous } = await register({});
    for (const id of [ada.id, ada.id.toUpperCase(), randomUUID(), unactivated.id, anonymous.id, gone.id]) {
      expect(outcome(await requestConnection(ada, { id }))).toBe("400 invalid-user");
    }
    expect((await api("POST", "/list-connections", { token: ada.token, json: {} })).body.connections).toEqual(
      [],
    );
  });

  it("can go to a suspended user", async () => {
    const [ada, bob] = await twoUsers();
    await internalApi("PUT", `/i/users/${bob.id}/status`, { json: { status: "suspended" } });

    expect((await requestConnection(ada, bob)).status).toBe(201);
  });

  it("returns 403 no-identity for a user without a verified identity", async () => {
    const { body: user, cookie } = await register({ email: newEmail() });
    const token = (await api("POST", "/access", { cookie })).body.access_token;
    const bob = await newUser();
    for (const path of [pathOf(bob), pathOf({ id: randomUUID() }), `/connections/example.org/${bob.id}`]) {
      expect(outcome(await api("POST", path, { token }))).toBe("403 no-identity");
    }
    expect(outcome(await api("POST", pathOf(user), { token }))).toBe("400 invalid-user");
  });

  it("returns 400 federation-not-enabled for another domain, as do all operations on connections", async () => {
    const { id, token } = somebody;
    for (const path of [`/connections/example.org/${randomUUID()}`, `/connections/example.org/${id}`]) {
      for (const [method, json] of [["POST"], ["GET"], ["PUT", { status: "accepted" }]] as const) {
        expect(outcome(await api(method, path, { token, json }))).toBe("400 federation-not-enabled");
      }
    }
    const inCapitals = `/connections/${localDomain.toUpperCase()}/${randomUUID()}`;
    expect((await api("GET", inCapitals, { token })).status).toBe(404);
  });

  it("returns 403 same-binding-team-users for a member of the same team, but not of another team", async () => {
    const [team, { owner: stranger }] = await Promise.all([newTeam(), newTeam()]);
    const [ada, bob, partner] = await Promise.all([team.add(), team.add(), team.add("partner")]);
    for (const mate of [bob, partner, team.owner]) {
      expect(outcome(await requestConnection(ada, mate))).toBe("403 same-binding-team-users");
      const json = { user: mate.id, name: "Bob" };
      const first = await api("POST", "/v1/connections", { token: ada.token, json });
      expect(outcome(first)).toBe("403 same-binding-team-users");
      expect((await getSide(ada, mate)).status).toBe(404);
    }
    expect((await requestConnection(ada, stranger)).status).toBe(201);
  });

  it("lists a connection from before both joined a team, which can still be blocked", async () => {
    const [ada, bob] = await twoUsers();
    await connectUsers(ada, bob);
    const team = await newTeam();
    await joinTeam(team, ada);
    await joinTeam(team, bob);

    const { body } = await api("GET", "/v1/connections", { token: ada.token });
    expect(body.connections).toMatchObject([{ to: bob.id, status: "accepted" }]);
    expect(outcome(await requestConnection(ada, bob))).toBe("403 same-binding-team-users");
    expect((await updateConnection(ada, bob, "blocked")).status).toBe(200);
  });

  it("returns 403 bad-conn-update for a user whom the sender has blocked", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(bob, ada);
    await updateConnection(ada, bob, "blocked");

    expect(outcome(await requestConnection(ada, bob))).toBe("403 bad-conn-update");
  });

  it("returns 401 without a token", async () => {
    expect((await api("POST", pathOf({ id: randomUUID() }))).status).toBe(401);
  });
});

describe.concurrent("a pending request", () => {
  it("can be accepted, which connects both users and notifies them", async () => {
    const [ada, bob] = await twoUsers("Ada", "Bob");
    await requestConnection(ada, bob);
    const answer = await updateConnection(bob, ada, "accepted");

    expect(answer).toMatchObject({ status: 200, body: viewOf(bob, ada, "accepted") });
    expect(await sides(ada, bob)).toEqual(["accepted", "accepted"]);
    expect((await settledEventsOf(bob, ada)).at(-1)).toEqual(eventOf(bob, ada, "accepted"));
    expect((await settledEventsOf(ada, bob)).at(-1)).toEqual(eventOf(ada, bob, "accepted", "Bob"));
  });

  it("can be ignored and accepted later", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    await updateConnection(bob, ada, "ignored");
    expect((await updateConnection(bob, ada, "accepted")).status).toBe(200);

    expect(await sides(ada, bob)).toEqual(["accepted", "accepted"]);
  });

  it.each(["pending", "ignored"])(
    "can be withdrawn while it is %s, which notifies both users",
    async (state) => {
      const [ada, bob] = await twoUsers();
      await requestConnection(ada, bob);
      if (state === "ignored") await updateConnection(bob, ada, "ignored");
      expect(await updateConnection(ada, bob, "cancelled")).toMatchObject({
        status: 200,
        body: { to: bob.id },
      });

      expect(await sides(ada, bob)).toEqual(["cancelled", "cancelled"]);
      expect((await settledEventsOf(ada, bob)).at(-1)).toEqual(eventOf(ada, bob, "cancelled"));
      expect((await settledEventsOf(bob, ada)).at(-1)).toEqual(eventOf(bob, ada, "cancelled"));
    },
  );

  it("can be accepted after its sender has blocked the user, without effect on the sender", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    await updateConnection(ada, bob, "blocked");
    expect(await updateConnection(bob, ada, "accepted")).toMatchObject({ body: { status: "accepted" } });

    expect(await sides(ada, bob)).toEqual(["blocked", "accepted"]);
    expect(statusesIn(await settledEventsOf(ada, bob))).toEqual(["sent", "blocked"]);
  });

  it("cannot be accepted or ignored by its sender, nor withdrawn by its recipient", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    const attempts = [
      [ada, bob, "accepted"],
      [ada, bob, "ignored"],
      [ada, bob, "pending"],
      [bob, ada, "cancelled"],
      [bob, ada, "sent"],
    ] as const;
    for (const [user, peer, status] of attempts) {
      expect(outcome(await updateConnection(user, peer, status))).toBe("403 bad-conn-update");
    }
    expect(await sides(ada, bob)).toEqual(["sent", "pending"]);
  });
});

describe.concurrent("a block", () => {
  it("changes only the user's own side, and restores the connection when it ends", async () => {
    const [ada, bob] = await twoUsers();
    await connectUsers(ada, bob);
    expect((await updateConnection(ada, bob, "blocked")).body).toEqual(viewOf(ada, bob, "blocked"));
    expect(await sides(ada, bob)).toEqual(["blocked", "accepted"]);
    expect((await updateConnection(ada, bob, "accepted")).body).toEqual(viewOf(ada, bob, "accepted"));

    expect(await sides(ada, bob)).toEqual(["accepted", "accepted"]);
    expect(statusesIn(await settledEventsOf(ada, bob))).toEqual(["sent", "accepted", "blocked", "accepted"]);
    expect(statusesIn(await settledEventsOf(bob, ada))).toEqual(["pending", "accepted"]);
  });

  it.each(["accepted", "sent"])("ends by %s in a connection if both users have requested one", async (to) => {
    const [ada, bob] = await twoUsers("Ada", "Bob");
    await requestConnection(bob, ada);
    await updateConnection(ada, bob, "blocked");
    expect(await updateConnection(ada, bob, to)).toMatchObject({
      status: 200,
      body: { status: "accepted" },
    });

    expect(await sides(ada, bob)).toEqual(["accepted", "accepted"]);
    expect((await settledEventsOf(ada, bob)).at(-1)).toEqual(eventOf(ada, bob, "accepted"));
    expect((await settledEventsOf(bob, ada)).at(-1)).toEqual(eventOf(bob, ada, "accepted", "Ada"));
  });

  it.each(["accepted", "sent"])("ends by %s in a request if the other user has not agreed", async (to) => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    await updateConnection(ada, bob, "blocked");
    expect(await updateConnection(ada, bob, to)).toMatchObject({ status: 200, body: { status: "sent" } });

    expect(await sides(ada, bob)).toEqual(["sent", "pending"]);
    expect(statusesIn(await settledEventsOf(bob, ada))).toEqual(["pending"]);
  });

  it("remains on one side when it ends on the other", async () => {
    const [ada, bob] = await twoUsers();
    await connectUsers(ada, bob);
    await updateConnection(ada, bob, "blocked");
    await updateConnection(bob, ada, "blocked");
    expect(await updateConnection(ada, bob, "sent")).toMatchObject({ body: { status: "accepted" } });

    expect(await sides(ada, bob)).toEqual(["accepted", "blocked"]);
  });

  it("can follow a withdrawn request", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    await updateConnection(ada, bob, "cancelled");

    expect((await updateConnection(ada, bob, "blocked")).status).toBe(200);
    expect(await sides(ada, bob)).toEqual(["blocked", "cancelled"]);
  });
});

describe.concurrent("an update", () => {
  it("returns 204 and sends no event when the status is unchanged", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    expect(await updateConnection(ada, bob, "sent")).toMatchObject({ status: 204, body: "" });
    expect((await updateConnection(bob, ada, "pending")).status).toBe(204);

    expect(statusesIn(await settledEventsOf(ada, bob))).toEqual(["sent"]);
    expect(statusesIn(await settledEventsOf(bob, ada))).toEqual(["pending"]);
  });

  it("returns 403 not-connected without a connection, and 400 invalid-user for oneself", async () => {
    const [ada, bob] = await twoUsers();
    for (const id of [bob.id, randomUUID()]) {
      expect(outcome(await updateConnection(ada, { id }, "accepted"))).toBe("403 not-connected");
    }
    expect(outcome(await updateConnection(ada, ada, "blocked"))).toBe("400 invalid-user");
  });

  it("does not affect other users' connections", async () => {
    const [ada, bob, eve] = await threeUsers();
    await requestConnection(ada, bob);

    expect(outcome(await updateConnection(eve, bob, "accepted"))).toBe("403 not-connected");
    expect((await getSide(eve, bob)).status).toBe(404);
    expect(await sides(ada, bob)).toEqual(["sent", "pending"]);
  });

  it("returns 403 bad-conn-update on both sides of a legal-hold conflict, as does a request", async () => {
    const [ada, bob] = await twoUsers();
    await connectUsers(ada, bob);
    await data.setStatus(ada, bob, "missing-legalhold-consent");
    expect(await sides(ada, bob)).toEqual(["missing-legalhold-consent", "accepted"]);

    for (const [user, peer] of [
      [ada, bob],
      [bob, ada],
    ] as const) {
      for (const status of ["accepted", "blocked", "missing-legalhold-consent"]) {
        expect(outcome(await updateConnection(user, peer, status))).toBe("403 bad-conn-update");
      }
      expect(outcome(await requestConnection(user, peer))).toBe("403 bad-conn-update");
    }
  });

  it("returns 403 bad-conn-update for missing-legalhold-consent", async () => {
    const [ada, bob] = await twoUsers();
    await connectUsers(ada, bob);

    expect(outcome(await updateConnection(ada, bob, "missing-legalhold-consent"))).toBe(
      "403 bad-conn-update",
    );
  });

  it("ignores unknown fields", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    const json = { status: "accepted", message: "hi" };

    expect((await api("PUT", pathOf(ada, "/v8"), { token: bob.token, json })).status).toBe(200);
  });
});

describe.concurrent("the list of connections", () => {
  const list = ({ token }: User, json: object = {}) => api("POST", "/v8/list-connections", { token, json });

  it("contains connections in all states, each exactly once across pages", async () => {
    const [ada, ...others] = (await newUsers(6)) as [User, ...User[]];
    const [accepted, sent, blocked, ignored, cancelled] = others as [User, User, User, User, User];
    await connectUsers(accepted, ada);
    await requestConnection(ada, sent);
    await requestConnection(blocked, ada);
    await updateConnection(ada, blocked, "blocked");
    await requestConnection(ignored, ada);
    await updateConnection(ada, ignored, "ignored");
    await requestConnection(ada, cancelled);
    await updateConnection(ada, cancelled, "cancelled");
    const expected = [
      viewOf(ada, accepted, "accepted"),
      viewOf(ada, sent, "sent"),
      viewOf(ada, blocked, "blocked"),
      viewOf(ada, ignored, "ignored"),
      viewOf(ada, cancelled, "cancelled"),
    ].sort((one, other) => (one.to < other.to ? -1 : 1));

    const { status, body: whole } = await list(ada);
    expect(status).toBe(200);
    expect(whole).toEqual({ connections: expected, has_more: false, paging_state: expect.any(String) });

    const pages: AnyEvent[] = [];
    let paging_state: string | undefined;
    do {
      const { body } = await list(ada, { size: 2, paging_state });
      pages.push(body);
      paging_state = body.paging_state;
    } while (pages.at(-1).has_more);
    expect(pages.map(({ connections }) => connections.length)).toEqual([2, 2, 1]);
    expect(pages.flatMap(({ connections }) => connections)).toEqual(expected);
    expect((await list(ada, { paging_state })).body).toEqual({
      connections: [],
      has_more: false,
      paging_state,
    });
  });

  it("has no more after a full last page, and is empty for a user without connections", async () => {
    const [ada, bob] = await twoUsers();
    const { body: empty } = await list(ada);
    expect(empty).toEqual({ connections: [], has_more: false, paging_state: expect.any(String) });
    await requestConnection(ada, bob);
    const json = { size: 1, paging_state: empty.paging_state };

    expect((await list(ada, json)).body).toMatchObject({ connections: [{ to: bob.id }], has_more: false });
  });
});

describe.concurrent("a connection that does not exist", () => {
  it("returns 404 with an empty body, as does HEAD", async () => {
    const [ada, bob] = await twoUsers();
    for (const method of ["GET", "HEAD"]) {
      for (const path of [pathOf(bob), pathOf(bob, "/v8"), pathOf(ada), `/v1/connections/${bob.id}`]) {
        expect(await api(method, path, { token: ada.token })).toMatchObject({ status: 404, body: "" });
      }
    }
  });

  it("returns 400 bad-request for a malformed id", async () => {
    const { token } = somebody;
    for (const path of [`/connections/${localDomain}/me`, "/v1/connections/me"]) {
      expect(outcome(await api("GET", path, { token }))).toBe("400 bad-request");
    }
  });
});

describe.concurrent("connections up to version 1", () => {
  const request = ({ token }: User, json: object, prefix = "/v1") =>
    api("POST", `${prefix}/connections`, { token, json });

  it("are requested with user and conversation name in the body, and otherwise work as later", async () => {
    const [ada, bob] = await twoUsers("Ada", "Bob");
    const requested = await request(ada, { user: bob.id, name: "Hello" });
    expect(requested).toMatchObject({ status: 201, body: viewOf(ada, bob, "sent") });
    expect((await request(bob, { user: ada.id, name: "Hello" }, "")).status).toBe(200);

    const path = `/v0/connections/${bob.id}`;
    expect((await api("GET", path, ada)).body).toEqual(viewOf(ada, bob, "accepted"));
    const blocked = await api("PUT", path, { token: ada.token, json: { status: "blocked" } });
    expect(blocked).toMatchObject({ status: 200, body: viewOf(ada, bob, "blocked") });
    expect((await api("PUT", path, { token: ada.token, json: { status: "blocked" } })).status).toBe(204);
    expect((await getSide(ada, bob)).body).toEqual(blocked.body);
  });

  it("are listed by id, after the one named by start", async () => {
    const [ada, ...others] = (await newUsers(4)) as [User, ...User[]];
    for (const other of others) await requestConnection(ada, other);
    const ids = others.map(({ id }) => id).sort();
    const list = async (query: string) => {
      const { status, body } = await api("GET", `/v1/connections${query}`, ada);
      expect(status).toBe(200);
      expect(Object.keys(body).sort()).toEqual(["connections", "has_more"]);
      return [body.connections.map(({ to }: { to: string }) => to), body.has_more];
    };

    expect(await list("")).toEqual([ids, false]);
    expect(await list("?size=2")).toEqual([ids.slice(0, 2), true]);
    expect(await list(`?start=${ids[0]}`)).toEqual([ids.slice(1), false]);
    expect(await list(`?start=${ids[0]}&size=1`)).toEqual([ids.slice(1, 2), true]);
    expect(await list(`?start=${ids[2]}`)).toEqual([[], false]);
    for (const query of ["?size=0", "?size=501", "?size=many", "?start=me"]) {
      expect(outcome(await api("GET", `/v1/connections${query}`, ada))).toBe("400 bad-request");
    }
  });

  it("have paths that later versions lack", async () => {
    const { id, token } = somebody;
    const paths = [
      ["POST", "/v2/connections"],
      ["GET", "/v2/connections"],
      ["GET", `/v8/connections/${id}`],
      ["PUT", `/v8/connections/${id}`],
    ] as const;
    for (const [method, path] of paths) expect((await api(method, path, { token })).status).toBe(404);
  });
});

describe.concurrent("the connection limit", () => {
  it("applies to requests, acceptances and ended blocks, sequential and concurrent", async () => {
    const limit = 4;
    const apis = await stackWith({ setUserMaxConnections: limit });
    const ownData = connectionData(apis);
    const [ada, ...others] = (await Promise.all(Array.from({ length: 22 }, () => newUser({}, apis)))) as [
      User,
      ...User[],
    ];
    const refused = "403 connection-limit";
    const outcomes = (answers: ApiAnswer[]) => Map.groupBy(answers.map(outcome), (text) => text);
    const placesTaken = async () => {
      const { body } = await apis.publicApi("POST", "/list-connections", { token: ada.token, json: {} });
      return body.connections.filter(({ status }: { status: string }) =>
        ["accepted", "sent"].includes(status),
      );
    };
    const [first, ...rest] = others as [User, ...User[]];
    const requesters = rest.slice(10, 20);
    for (const other of requesters) await requestConnection(other, ada, apis);

    const concurrent = await Promise.all([
      ...rest.slice(0, 10).map((other) => requestConnection(ada, other, apis)),
      ...requesters.map((other) => updateConnection(ada, other, "accepted", apis)),
    ]);
    expect(outcomes(concurrent).get(refused)).toHaveLength(20 - limit);
    const taken = await placesTaken();
    expect(taken).toHaveLength(limit);
    expect(await ownData.countedPlaces(ada)).toBe(limit);

    expect(outcome(await requestConnection(ada, first, apis))).toBe(refused);
    expect(await sides(ada, first, apis.publicApi)).toEqual(["none", "none"]);
    expect((await requestConnection(first, ada, apis)).status).toBe(201);
    expect(outcome(await updateConnection(ada, first, "accepted", apis))).toBe(refused);
    expect(outcome(await requestConnection(ada, first, apis))).toBe(refused);

    const [{ to: id }] = taken;
    await updateConnection(ada, { id }, "blocked", apis);
    expect((await updateConnection(ada, first, "accepted", apis)).status).toBe(200);
    expect(outcome(await updateConnection(ada, { id }, "accepted", apis))).toBe(refused);
    await updateConnection(ada, first, "blocked", apis);
    expect((await updateConnection(ada, { id }, "accepted", apis)).status).toBe(200);
    expect(await ownData.countedPlaces(ada)).toBe(limit);
  });
});

describe.concurrent("concurrent actions of two users", () => {
  const shape = ({ connection, user }: AnyEvent) =>
    user === undefined ? connection.status : `${connection.status}, of ${user.name}`;

  it("connect users who request each other, with one event per step", async () => {
    const users = await newUsers(7);
    const pairs = pairsOf(users).slice(0, 20);
    const answers = await Promise.all(
      pairs.map(([one, other]) =>
        Promise.all([requestConnection(one, other), requestConnection(other, one)]),
      ),
    );
    for (const pair of answers) expect(pair.map(({ status }) => status).sort()).toEqual([200, 201]);

    await Promise.all(users.map((user) => passMarker(user)));
    for (const [index, [one, other]] of pairs.entries()) {
      expect(await sides(one, other)).toEqual(["accepted", "accepted"]);
      const [first, second] = answers[index]?.[0]?.status === 201 ? [one, other] : [other, one];
      const got = await Promise.all([eventsOf(first, second), eventsOf(second, first)]);
      expect(got.map((list) => list.map(shape).sort())).toEqual([
        ["accepted, of Ada", "sent"],
        ["accepted", "pending, of Ada"],
      ]);
    }
  });

  it("let either an acceptance or a withdrawal win", async () => {
    const pairs = pairsOf(await newUsers(7)).slice(0, 20);
    for (const [one, other] of pairs) await requestConnection(one, other);
    const answers = await Promise.all(
      pairs.map(([one, other]) =>
        Promise.all([updateConnection(one, other, "cancelled"), updateConnection(other, one, "accepted")]),
      ),
    );

    for (const [index, [one, other]] of pairs.entries()) {
      const [withdrawn, agreed] = answers[index]?.map(outcome) ?? [];
      if (withdrawn === "200") {
        expect(agreed).toBe("403 bad-conn-update");
        expect(await sides(one, other)).toEqual(["cancelled", "cancelled"]);
      } else {
        expect([withdrawn, agreed]).toEqual(["403 bad-conn-update", "200"]);
        expect(await sides(one, other)).toEqual(["accepted", "accepted"]);
      }
    }
  });

  it("never leave contradicting sides or wrong counters", async () => {
    const users = await newUsers(3);
    const statuses = ["accepted", "blocked", "ignored", "cancelled", "sent"];
    const choose = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)] as Item;
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => {
          const [one, other] = choose([...pairsOf(users), ...pairsOf(users.toReversed())]);
          return Math.random() < 0.4
            ? requestConnection(one, other)
            : updateConnection(one, other, choose(statuses));
        }),
      );
      for (const answer of answers) {
        expect(["200", "201", "204", "403 bad-conn-update", "403 not-connected"]).toContain(outcome(answer));
      }
    }

    const consistent = [
      "accepted accepted",
      "accepted blocked",
      "blocked blocked",
      "blocked cancelled",
      "blocked ignored",
      "blocked pending",
      "blocked sent",
      "cancelled cancelled",
      "cancelled sent",
      "ignored sent",
      "none none",
      "pending sent",
    ];
    for (const [one, other] of pairsOf(users)) {
      expect(consistent).toContain((await sides(one, other)).sort().join(" "));
    }
    for (const user of users) {
      const { body } = await api("POST", "/list-connections", { token: user.token, json: {} });
      const counted = body.connections.filter(({ status }: { status: string }) =>
        ["accepted", "sent"].includes(status),
      );
      expect(await data.countedPlaces(user)).toBe(counted.length);
    }
  });
});

describe.concurrent("an event for a user's contacts", () => {
  it("reaches connected users, but neither pending nor blocked ones", async () => {
    const [ada, contact, requested, requester, blocked] = (await newUsers(5)) as [
      User,
      User,
      User,
      User,
      User,
    ];
    await connectUsers(ada, contact);
    await requestConnection(ada, requested);
    await requestConnection(requester, ada);
    await connectUsers(blocked, ada);
    await updateConnection(ada, blocked, "blocked");
    const sender = ada.id;
    await events.publish({ number: 41, to: [{ userId: ada.id }], contactsOf: ada.id, sender });
    await Promise.all([ada, contact, requested, requester, blocked].map((user) => passMarker(user, sender)));

    const numbers = async ({ token }: User) => {
      const { body } = await api("GET", "/notifications", { token });
      return body.notifications
        .flatMap(({ payload }: { payload: AnyEvent[] }) => payload)
        .filter(({ number }: AnyEvent) => number === 41).length;
    };
    expect(await Promise.all([ada, contact, requested, requester, blocked].map(numbers))).toEqual([
      1, 1, 0, 0, 0,
    ]);
  });
});

describe.concurrent("removing a connection", () => {
  it("removes both sides, and frees the other user's place", async () => {
    const [ada, bob, eve] = await threeUsers();
    await connectUsers(ada, bob);
    await requestConnection(ada, eve);
    for (const peer of [bob, eve]) {
      const pair = await data.store.getPair(ada.id, peer.id);
      if (pair !== undefined) await data.write(data.store.removeBoth(pair));
    }

    expect(await sides(ada, bob)).toEqual(["none", "none"]);
    expect(await data.countedPlaces(bob)).toBe(0);
    expect(await data.countedPlaces(eve)).toBe(0);
    expect(await data.store.getPair(ada.id, bob.id)).toBeUndefined();
    await data.write([data.store.removeCounter(ada.id)]);
    expect(await requestConnection(bob, ada)).toMatchObject({ status: 201 });
    expect(await data.countedPlaces(bob)).toBe(1);
  });

  it("is refused when a side was changed or removed since it was read", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    const before = await data.store.getPair(ada.id, bob.id);
    await updateConnection(bob, ada, "accepted");
    const after = await data.store.getPair(ada.id, bob.id);
    if (before === undefined || after === undefined) throw new Error("The users have no connection");

    await expect(data.write(data.store.removeBoth(before))).rejects.toThrow(StaleReadError);
    await data.write(data.store.removeBoth(after));
    await expect(data.write(data.store.removeBoth(after))).rejects.toThrow(StaleReadError);
    expect(await data.countedPlaces(bob)).toBe(0);
  });
});
