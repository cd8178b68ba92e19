import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import {
  connectionData,
  connectionEvents,
  connectUsers,
  getSide,
  localDomain,
  requestConnection,
  sides,
  sideView,
  updateConnection,
} from "../../support/connections.ts";
import { eventSource } from "../../support/events.ts";
import { openSocket, type TestSocket } from "../../support/socket.ts";
import { joinTeam, newTeam } from "../../support/teams.ts";
import { newEmail, newUser, register, type User } from "../../support/users.ts";

const events = eventSource();
const data = connectionData();

const newUsers = (count: number, names: readonly string[] = []) =>
  Promise.all(Array.from({ length: count }, (_, index) => newUser({ name: names[index] ?? "Ada" })));
const twoUsers = (...names: string[]) => newUsers(2, names) as Promise<[User, User]>;
const threeUsers = () => newUsers(3) as Promise<[User, User, User]>;

const pathOf = ({ id }: Pick<User, "id">) => `/connections/${localDomain}/${id}`;
const eventOf = (user: User, peer: User, status: string, name?: string) => ({
  type: "user.connection",
  connection: sideView(user, peer, status),
  ...(name !== undefined && { user: { name } }),
});

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
type AnyEvent = any;

/** Events of a socket; several that wait for the same log share a frame. */
const eventsIn = (frames: TestSocket["frames"]): AnyEvent[] => frames.flatMap(({ payload }) => payload);

const statusesIn = (list: AnyEvent[]) => list.map(({ connection }) => connection.status);

describe.concurrent("a connection request", () => {
  it("is `sent` on one side and `pending` on the other, and both users are notified", async () => {
    const [ada, bob] = await twoUsers("Ada", "Bob");
    const socket = await openSocket("/await", { token: bob.token });
    const answer = await requestConnection(ada, bob);

    expect(answer.status).toBe(201);
    expect(answer.body).toEqual(sideView(ada, bob, "sent"));
    expect((await getSide(ada, bob)).body).toEqual(answer.body);
    expect((await getSide(bob, ada)).body).toEqual(sideView(bob, ada, "pending"));
    expect(await connectionEvents(ada, bob)).toEqual([eventOf(ada, bob, "sent")]);
    expect(await connectionEvents(bob, ada)).toEqual([eventOf(bob, ada, "pending", "Ada")]);
    await socket.until((frames) => eventsIn(frames).length > 0);
    expect(eventsIn(socket.frames)).toEqual([eventOf(bob, ada, "pending", "Ada")]);
  });

  it("is sent to the user's other connections, but not to the one that made it", async () => {
    const [ada, bob] = await twoUsers();
    const [acting, other] = await Promise.all([
      openSocket("/await", { token: ada.token }),
      openSocket("/await", {
        token: (await api("POST", "/access", { cookie: ada.cookie })).body.access_token,
      }),
    ]);
    await requestConnection(ada, bob);
    await other.until((frames) => eventsIn(frames).length >= 3);

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
    expect(answer.body).toEqual(sideView(bob, ada, "accepted"));
    expect(await sides(ada, bob)).toEqual(["accepted", "accepted"]);
    expect(await connectionEvents(bob, ada)).toEqual([
      eventOf(bob, ada, "pending", "Ada"),
      eventOf(bob, ada, "accepted"),
    ]);
    expect(await connectionEvents(ada, bob)).toEqual([
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
    expect(statusesIn(await connectionEvents(ada, bob))).toEqual(["sent", "accepted"]);
    expect(statusesIn(await connectionEvents(bob, ada))).toEqual(["pending", "accepted"]);
  });

  it("does not notify the other user again when it is repeated", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    expect(await requestConnection(ada, bob)).toMatchObject({ status: 200, body: { status: "sent" } });

    expect(await sides(ada, bob)).toEqual(["sent", "pending"]);
    expect(statusesIn(await connectionEvents(ada, bob))).toEqual(["sent", "sent"]);
    expect(statusesIn(await connectionEvents(bob, ada))).toEqual(["pending"]);
  });

  it("becomes pending again when it is repeated after being ignored, though its sender never sees that it was ignored", async () => {
    const [ada, bob] = await twoUsers("Ada", "Bob");
    await requestConnection(ada, bob);
    expect((await updateConnection(bob, ada, "ignored")).status).toBe(200);
    expect(await sides(ada, bob)).toEqual(["sent", "ignored"]);
    expect((await requestConnection(ada, bob)).status).toBe(200);

    expect(await sides(ada, bob)).toEqual(["sent", "pending"]);
    expect(await connectionEvents(ada, bob)).toEqual([eventOf(ada, bob, "sent"), eventOf(ada, bob, "sent")]);
    expect(await connectionEvents(bob, ada)).toEqual([
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
      body: sideView(bob, ada, "sent"),
    });

    expect(await sides(ada, bob)).toEqual(["blocked", "sent"]);
    expect(statusesIn(await connectionEvents(ada, bob))).toEqual(["pending", "blocked"]);
    expect(statusesIn(await connectionEvents(bob, ada))).toEqual(["sent", "cancelled"]);
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
    const { id, token } = await newUser();
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

  it("lists a connection from before both users joined one team, and lets it be blocked", async () => {
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
});

describe.concurrent("a pending request", () => {
  it("can be accepted, which connects both users and notifies them", async () => {
    const [ada, bob] = await twoUsers("Ada", "Bob");
    await requestConnection(ada, bob);
    const answer = await updateConnection(bob, ada, "accepted");

    expect(answer).toMatchObject({ status: 200, body: sideView(bob, ada, "accepted") });
    expect(await sides(ada, bob)).toEqual(["accepted", "accepted"]);
    expect((await connectionEvents(bob, ada)).at(-1)).toEqual(eventOf(bob, ada, "accepted"));
    expect((await connectionEvents(ada, bob)).at(-1)).toEqual(eventOf(ada, bob, "accepted", "Bob"));
  });

  it("can be withdrawn, even if it was ignored, which notifies both users", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    await updateConnection(bob, ada, "ignored");
    expect(await updateConnection(ada, bob, "cancelled")).toMatchObject({
      status: 200,
      body: { to: bob.id },
    });

    expect(await sides(ada, bob)).toEqual(["cancelled", "cancelled"]);
    expect((await connectionEvents(ada, bob)).at(-1)).toEqual(eventOf(ada, bob, "cancelled"));
    expect((await connectionEvents(bob, ada)).at(-1)).toEqual(eventOf(bob, ada, "cancelled"));
  });

  it("can be accepted after its sender has blocked the user, without effect on the sender", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    await updateConnection(ada, bob, "blocked");
    expect(await updateConnection(bob, ada, "accepted")).toMatchObject({ body: { status: "accepted" } });

    expect(await sides(ada, bob)).toEqual(["blocked", "accepted"]);
    expect(statusesIn(await connectionEvents(ada, bob))).toEqual(["sent", "blocked"]);
  });

  it("cannot be accepted by its sender, nor withdrawn by its recipient", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    expect(outcome(await updateConnection(ada, bob, "accepted"))).toBe("403 bad-conn-update");
    expect(outcome(await updateConnection(bob, ada, "cancelled"))).toBe("403 bad-conn-update");
    expect(await sides(ada, bob)).toEqual(["sent", "pending"]);
  });
});

describe.concurrent("a block", () => {
  it("changes only the user's own side, and restores the connection when it ends", async () => {
    const [ada, bob] = await twoUsers();
    await connectUsers(ada, bob);
    expect((await updateConnection(ada, bob, "blocked")).body).toEqual(sideView(ada, bob, "blocked"));
    expect(await sides(ada, bob)).toEqual(["blocked", "accepted"]);
    expect((await updateConnection(ada, bob, "accepted")).body).toEqual(sideView(ada, bob, "accepted"));

    expect(await sides(ada, bob)).toEqual(["accepted", "accepted"]);
    expect(statusesIn(await connectionEvents(ada, bob))).toEqual(["sent", "accepted", "blocked", "accepted"]);
    expect(statusesIn(await connectionEvents(bob, ada))).toEqual(["pending", "accepted"]);
  });

  it("ends in a connection if both users have requested one", async () => {
    const [ada, bob] = await twoUsers("Ada", "Bob");
    await requestConnection(bob, ada);
    await updateConnection(ada, bob, "blocked");
    expect(await updateConnection(ada, bob, "accepted")).toMatchObject({
      status: 200,
      body: { status: "accepted" },
    });

    expect(await sides(ada, bob)).toEqual(["accepted", "accepted"]);
    expect((await connectionEvents(ada, bob)).at(-1)).toEqual(eventOf(ada, bob, "accepted"));
    expect((await connectionEvents(bob, ada)).at(-1)).toEqual(eventOf(bob, ada, "accepted", "Ada"));
  });

  it("ends in a request if the other user has not agreed", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    await updateConnection(ada, bob, "blocked");
    expect(await updateConnection(ada, bob, "sent")).toMatchObject({ status: 200, body: { status: "sent" } });

    expect(await sides(ada, bob)).toEqual(["sent", "pending"]);
    expect(statusesIn(await connectionEvents(bob, ada))).toEqual(["pending"]);
  });
});

describe.concurrent("an update", () => {
  it("returns 204 and sends no event when the status is unchanged", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    expect(await updateConnection(ada, bob, "sent")).toMatchObject({ status: 204, body: "" });
    expect((await updateConnection(bob, ada, "pending")).status).toBe(204);

    expect(statusesIn(await connectionEvents(ada, bob))).toEqual(["sent"]);
    expect(statusesIn(await connectionEvents(bob, ada))).toEqual(["pending"]);
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
