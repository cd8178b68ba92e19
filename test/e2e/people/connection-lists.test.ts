import { describe, expect, it } from "vitest";
import { api } from "../../support/api.ts";
import {
  connectUsers,
  getSide,
  localDomain,
  requestConnection,
  sideView,
  updateConnection,
} from "../../support/connections.ts";
import { newUser, type User } from "../../support/users.ts";

const newUsers = (count: number, names: readonly string[] = []) =>
  Promise.all(Array.from({ length: count }, (_, index) => newUser({ name: names[index] ?? "Ada" })));
const twoUsers = (...names: string[]) => newUsers(2, names) as Promise<[User, User]>;

const pathOf = ({ id }: Pick<User, "id">, prefix = "") => `${prefix}/connections/${localDomain}/${id}`;

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
type AnyEvent = any;

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
      sideView(ada, accepted, "accepted"),
      sideView(ada, sent, "sent"),
      sideView(ada, blocked, "blocked"),
      sideView(ada, ignored, "ignored"),
      sideView(ada, cancelled, "cancelled"),
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
});

describe.concurrent("connections up to version 1", () => {
  const request = ({ token }: User, json: object, prefix = "/v1") =>
    api("POST", `${prefix}/connections`, { token, json });

  it("are requested with user and conversation name in the body, and otherwise work as later", async () => {
    const [ada, bob] = await twoUsers("Ada", "Bob");
    const requested = await request(ada, { user: bob.id, name: "Hello" });
    expect(requested).toMatchObject({ status: 201, body: sideView(ada, bob, "sent") });
    expect((await request(bob, { user: ada.id, name: "Hello" }, "")).status).toBe(200);

    const path = `/v0/connections/${bob.id}`;
    expect((await api("GET", path, ada)).body).toEqual(sideView(ada, bob, "accepted"));
    const blocked = await api("PUT", path, { token: ada.token, json: { status: "blocked" } });
    expect(blocked).toMatchObject({ status: 200, body: sideView(ada, bob, "blocked") });
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
  });
});
