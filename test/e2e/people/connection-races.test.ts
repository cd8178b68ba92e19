import { describe, expect, it } from "vitest";
import { type ApiAnswer, api, outcome } from "../../support/api.ts";
import {
  connectionData,
  connectionEvents,
  requestConnection,
  sides,
  updateConnection,
} from "../../support/connections.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser, type User } from "../../support/users.ts";

const data = connectionData();

const newUsers = (count: number, names: readonly string[] = []) =>
  Promise.all(Array.from({ length: count }, (_, index) => newUser({ name: names[index] ?? "Ada" })));

/** Every pair of some users, once. */
const pairsOf = (users: readonly User[]): [User, User][] =>
  users.flatMap((one, index) => users.slice(index + 1).map((other): [User, User] => [one, other]));

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
type AnyEvent = any;

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
    expect(await sides(ada, first, apis)).toEqual(["none", "none"]);
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

    for (const [index, [one, other]] of pairs.entries()) {
      expect(await sides(one, other)).toEqual(["accepted", "accepted"]);
      const [first, second] = answers[index]?.[0]?.status === 201 ? [one, other] : [other, one];
      const got = await Promise.all([connectionEvents(first, second), connectionEvents(second, first)]);
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
