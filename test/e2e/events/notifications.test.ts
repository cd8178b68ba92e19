import { randomUUID } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { v1 as uuidV1 } from "uuid";
import { describe, expect, it } from "vitest";
import { deleteExpired } from "#lib/local/emulators/expiry-sweeper.ts";
import { streams } from "#shared/events/notification.ts";
import { tables } from "#shared/registry/tables.ts";
import { type Api, api, outcome } from "../../support/api.ts";
import {
  eventSource,
  newReader,
  numbersIn,
  numbersListed,
  type Reader,
  storedEvents,
  upTo,
} from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import { ownStack } from "../../support/own-stack.ts";
import { joinTeam, newTeam } from "../../support/teams.ts";
import { newUser } from "../../support/users.ts";

const events = eventSource();
/** Used by tests that take a while or advance the clock. */
const stack = await ownStack({ notificationTTL: 3600 });
const source = eventSource(stack);
const { publicApi } = stack;
const unknown = uuidV1();

const list = ({ token }: Reader, query = "", { version = "", publicApi = api } = {}) =>
  publicApi("GET", `${version}/notifications${query}`, { token });

/** The list, once it has this length. */
const listOf = (reader: Reader, count: number, publicApi: Api = api) =>
  eventually(async () => {
    const { body } = await list(reader, "", { publicApi });
    expect(body.notifications).toHaveLength(count);
    return body.notifications as { id: string; payload: { number: number }[] }[];
  });

/** Events 1 to `count` from one sender, in order. */
function publishInOrder(to: Reader[], count: number): Promise<void> {
  const sender = randomUUID();
  return events.publish(...upTo(count).map((number) => ({ number, to, sender })));
}

/** A text that sorts like the time in the id. */
const timeIn = (id: string) => {
  const [low, middle, high = ""] = id.split("-");
  return `${high}${middle}${low}`;
};

describe.concurrent("GET /notifications", () => {
  it("returns what an offline device has missed, in order, and only newer notifications with since", async () => {
    const reader = await newReader();
    await publishInOrder([reader], 3);
    const [, second] = await listOf(reader, 3);
    const askedAt = Date.now();
    const { status, body } = await list(reader, `?since=${second?.id}`);
    const answeredAt = Date.now();

    expect(numbersIn(await listOf(reader, 3))).toEqual([1, 2, 3]);
    expect(status).toBe(200);
    expect(numbersListed({ body })).toEqual([3]);
    expect(body.has_more).toBe(false);
    expect(Date.parse(body.time)).toBeGreaterThanOrEqual(askedAt);
    expect(Date.parse(body.time)).toBeLessThanOrEqual(answeredAt);
  });

  it("returns events with characters that queues refuse", async () => {
    const { token } = await newUser();
    const name = "Ada 💬 \uffff";
    expect((await api("PUT", "/self", { token, json: { name } })).status).toBe(200);
    await eventually(async () => {
      expect(await storedEvents(token, "user.update")).toMatchObject([{ user: { name } }]);
    });
  });

  it("returns an empty list for a user without notifications, and 401 without a token", async () => {
    const { body } = await list(await newReader());
    expect(body).toMatchObject({ notifications: [], has_more: false });
    expect(outcome(await api("GET", "/notifications"))).toBe("401 unauthorized");
  });

  it("returns 150 notifications in order, on two pages of at most 100", async () => {
    const reader = await newReader();
    await events.fill(streams.user(reader.userId), upTo(150));
    const first = await list(reader, "?size=100");
    const rest = await list(reader, `?size=100&since=${first.body.notifications.at(-1).id}`);

    expect(numbersListed(first)).toEqual(upTo(100));
    expect(first.body.has_more).toBe(true);
    expect(numbersListed(rest)).toEqual(upTo(150).slice(100));
    expect(rest.body.has_more).toBe(false);
    expect((await list(reader, "?size=150")).body.has_more).toBe(false);
  });

  it("ends a page at 5 MiB and says that there is more", async () => {
    const reader = await newReader();
    const [sender, other] = [randomUUID(), randomUUID()];
    const count = 15;
    for (const number of upTo(count)) {
      // With two recipients, the event itself is stored outside the log.
      await events.publish({ number, to: [reader, { userId: other }], sender, padding: 370_000 });
      await eventually(async () => expect(await events.countIn(streams.user(other))).toBe(number));
    }
    const first = await list(reader);
    const rest = await list(reader, `?since=${first.body.notifications.at(-1).id}`);

    expect(JSON.stringify(first.body).length).toBeLessThan(5.1 * 2 ** 20);
    expect(first.body.has_more).toBe(true);
    expect(rest.body.has_more).toBe(false);
    expect([...numbersListed(first), ...numbersListed(rest)]).toEqual(upTo(count));
  });

  it("leaves out events for other devices when it names a device", async () => {
    const reader = await newReader();
    const { userId } = reader;
    await events.publish({ number: 1, to: [{ userId }] });
    await events.publish({ number: 2, to: [{ userId, clientIds: ["aa"] }] });
    await events.publish({ number: 3, to: [{ userId, clientIds: ["bb", "cc"] }] });
    const all = await listOf(reader, 3);
    const numbersOf = async (query: string) => numbersListed(await list(reader, query)).toSorted();

    expect(numbersIn(all).toSorted()).toEqual([1, 2, 3]);
    expect(await numbersOf("?client=aa")).toEqual([1, 2]);
    expect(await numbersOf("?client=cc")).toEqual([1, 3]);
    expect(await numbersOf("?client=dd")).toEqual([1]);
  });

  it("leaves out transient events", async () => {
    const reader = await newReader();
    const sender = randomUUID();
    await events.publish(
      { number: 1, to: [reader], sender, isTransient: true },
      { number: 2, to: [reader], sender },
    );

    expect(numbersIn(await listOf(reader, 1))).toEqual([2]);
  });
});

describe.concurrent("since", () => {
  it.each(["/v3", "/v8", "/v9"])(
    "returns 404 under %j when it is unknown, and 400 when it is malformed",
    async (version) => {
      const reader = await newReader();
      await publishInOrder([reader], 1);
      const [known] = await listOf(reader, 1);

      const refused = await list(reader, `?since=${unknown}`, { version });
      expect(outcome(refused)).toBe("404 not-found");
      expect(refused.body).not.toHaveProperty("notifications");
      for (const malformed of [randomUUID(), "latest", `${known?.id}x`, "x".repeat(65)]) {
        const answer = await list(reader, `?since=${malformed}`, { version });
        expect(outcome(answer)).toBe("400 bad-request");
      }
      const found = await list(reader, `?since=${known?.id.toUpperCase()}`, { version });
      expect(found).toMatchObject({ status: 200, body: { notifications: [] } });
    },
  );

  it.each(["/v0", "/v2", ""])(
    "returns 404 with newer notifications under %j, or with all of them when it has no time",
    async (version) => {
      const reader = await newReader();
      await publishInOrder([reader], 3);
      const notifications = await listOf(reader, 3);
      const inbetween = uuidV1({ msecs: Date.now() + 60_000 });

      for (const [since, numbers] of [
        [unknown, [1, 2, 3]],
        [inbetween, []],
        ["latest", [1, 2, 3]],
        ["x".repeat(65), [1, 2, 3]],
        [randomUUID(), [1, 2, 3]],
      ] as const) {
        const { status, body } = await list(reader, `?since=${since}`, { version });
        expect(status).toBe(404);
        expect(numbersListed({ body })).toEqual(numbers);
        expect(body.has_more).toBe(false);
      }
      const known = await list(reader, `?since=${notifications[1]?.id}`, { version });
      expect(known.status).toBe(200);
      expect(numbersListed(known)).toEqual([3]);
    },
  );

  it("returns 404 before version 3 even when the list goes on", async () => {
    const version = "/v2";
    const reader = await newReader();
    await events.fill(streams.user(reader.userId), upTo(101));
    const { status, body } = await list(reader, "?since=latest&size=100", { version });

    expect({ status, hasMore: body.has_more }).toEqual({ status: 404, hasMore: true });
    expect(numbersListed({ body })).toEqual(upTo(100));
  });

  it("is unknown when it belongs to another user", async () => {
    const [reader, other] = [await newReader(), await newReader()];
    await publishInOrder([other], 1);
    await publishInOrder([reader], 1);
    const [foreign] = await listOf(other, 1);
    await listOf(reader, 1);

    expect(outcome(await list(reader, `?since=${foreign?.id}`, { version: "/v8" }))).toBe("404 not-found");
  });
});

describe.concurrent("a single notification", () => {
  it("is found by its id, and the newest one as last", async () => {
    const reader = await newReader();
    const { token } = reader;
    await publishInOrder([reader], 2);
    const notifications = await listOf(reader, 2);
    for (const one of notifications) {
      expect((await api("GET", `/notifications/${one.id}`, { token })).body).toEqual(one);
    }
    expect((await api("GET", "/notifications/last", { token })).body).toEqual(notifications[1]);
  });

  it("returns 404 when it is unknown, somebody else's, or for another device", async () => {
    const [reader, other] = [await newReader(), await newReader()];
    const { token, userId } = reader;
    await events.publish({ number: 1, to: [{ userId, clientIds: ["aa"] }] });
    await publishInOrder([other], 1);
    const [[targeted], [foreign]] = [await listOf(reader, 1), await listOf(other, 1)];
    const get = async (path: string) => outcome(await api("GET", `/notifications/${path}`, { token }));

    expect(await get(`${targeted?.id}`)).toBe("200");
    expect(await get(`${targeted?.id}?client=aa`)).toBe("200");
    expect(await get(`${targeted?.id}?client=bb`)).toBe("404 not-found");
    expect(await get("last?client=aa")).toBe("200");
    expect(await get("last?client=bb")).toBe("404 not-found");
    for (const id of [foreign?.id, uuidV1(), randomUUID(), "nothing"]) {
      expect(await get(`${id}`)).toBe("404 not-found");
    }
  });

  it("returns 404 as last when there is none", async () => {
    const { token } = await newReader();
    expect(outcome(await api("GET", "/notifications/last", { token }))).toBe("404 not-found");
  });
});

describe.concurrent("team notifications", () => {
  it("require a team and a well-formed id", async () => {
    const { token } = await newUser();
    const get = async (query: string) => outcome(await api("GET", `/teams/notifications${query}`, { token }));

    expect(await get("")).toBe("404 no-team");
    expect(await get(`?since=${unknown}`)).toBe("404 no-team");
    for (const since of [randomUUID(), "latest", "", "x".repeat(65)]) {
      expect(await get(`?since=${since}`)).toBe("400 invalid-notification-id");
    }
    expect(await get("?size=0")).toBe("400 bad-request");
    expect(outcome(await api("GET", "/teams/notifications"))).toBe("401 unauthorized");
  });

  it("report three joins, and only the first two when since names the first and size is 1", async () => {
    const [team, ...joining] = await Promise.all([newTeam(), newUser(), newUser(), newUser()]);
    for (const user of joining) {
      const { body } = await api("GET", "/teams/notifications", { token: team.owner.token });
      await joinTeam(team, user);
      await eventually(async () => {
        const after = await api("GET", "/teams/notifications", { token: team.owner.token });
        expect(after.body.notifications).toHaveLength(body.notifications.length + 1);
      });
    }
    const { token } = await team.add("partner");
    const { body } = await api("GET", "/teams/notifications", { token });
    const joins = joining.map(({ id }) => ({
      type: "team.member-join",
      team: team.id,
      time: expect.any(String),
      data: { user: id },
    }));
    const payloads = (list: { payload: unknown[] }[]) => list.flatMap(({ payload }) => payload);
    expect(payloads(body.notifications)).toEqual(joins);

    const [first] = body.notifications;
    const page = await api("GET", `/teams/notifications?since=${first.id}&size=1`, { token });
    expect(payloads(page.body.notifications)).toEqual(joins.slice(0, 2));
    expect(page.body.has_more).toBe(true);
  });

  it("are listed in order, starting with since, which does not count towards the size", async () => {
    const team = await newTeam();
    const { token } = team.owner;
    await events.fill(streams.team(team.id), upTo(5));
    const all = await api("GET", "/teams/notifications", { token });
    const ids = all.body.notifications.map((one: { id: string }) => one.id);
    const page = async (query: string) => {
      const answer = await api("GET", `/teams/notifications?${query}`, { token });
      return [...numbersListed(answer), answer.body.has_more];
    };

    expect(numbersListed(all)).toEqual(upTo(5));
    expect(all.body).not.toHaveProperty("time");
    expect(await page("size=2")).toEqual([1, 2, true]);
    expect(await page(`since=${ids[1]}&size=2`)).toEqual([2, 3, 4, true]);
    expect(await page(`since=${ids[1].toUpperCase()}&size=3`)).toEqual([2, 3, 4, 5, false]);
    expect(await page(`since=${uuidV1({ msecs: Date.now() - 60_000 })}`)).toEqual([1, 2, 3, 4, 5, false]);
    expect(await page(`since=${uuidV1({ msecs: Date.now() + 60_000 })}`)).toEqual([false]);
  });
});

it("a page of team notifications ends at 5 MiB and says that there is more", async () => {
  const team = await newTeam();
  const { token } = team.owner;
  await events.fill(streams.team(team.id), upTo(20), { padding: 350_000 });
  const first = await api("GET", "/teams/notifications", { token });
  const since = first.body.notifications.at(-1).id;
  const rest = await api("GET", `/teams/notifications?since=${since}`, { token });

  expect(JSON.stringify(first.body).length).toBeLessThan(5.1 * 2 ** 20);
  expect(first.body.has_more).toBe(true);
  expect(rest.body.has_more).toBe(false);
  expect([...numbersListed(first), ...numbersListed(rest).slice(1)]).toEqual(upTo(20));
});

describe("a log with many concurrent writers", () => {
  const publishers = 20;
  const eventsEach = 3;

  it("has ids with strictly increasing times, and a reader that follows it misses nothing", async () => {
    const reader = await newReader(stack);
    const senders = upTo(publishers).map(() => randomUUID());
    const publishing = senders.map(async (sender, index) => {
      for (const number of upTo(eventsEach)) {
        await source.publish({ number: index * eventsEach + number, to: [reader], sender });
      }
    });
    const ids: string[] = [];
    const numbers: number[] = [];
    while (numbers.length < publishers * eventsEach) {
      const { body } = await list(reader, ids.length > 0 ? `?since=${ids.at(-1)}` : "", { publicApi });
      ids.push(...body.notifications.map(({ id }: { id: string }) => id));
      numbers.push(...numbersListed({ body }));
    }
    await Promise.all(publishing);
    const all = await list(reader, "", { publicApi });

    expect(numbersListed(all)).toEqual(numbers);
    expect(numbers.toSorted((one, other) => one - other)).toEqual(upTo(publishers * eventsEach));
    const times = ids.map(timeIn);
    expect(new Set(times).size).toBe(times.length);
    expect(times.toSorted()).toEqual(times);
    for (const index of senders.keys()) {
      const own = numbers.filter((number) => Math.ceil(number / eventsEach) === index + 1);
      expect(own).toEqual(own.toSorted((one, other) => one - other));
    }
  });
});

/** Reads of a stream and of its payloads while a task runs. */
async function readsDuring(stream: string, task: () => Promise<unknown>) {
  const queries: { limit: number | undefined; position: string | undefined }[] = [];
  let payloads = 0;
  const end = injectFaults(({ service, action, body }) => {
    if (service !== "dynamodb") return undefined;
    if (action === "Query" && body.includes(stream)) {
      const { Limit: limit, ExpressionAttributeValues: values } = JSON.parse(body);
      queries.push({ limit, position: values[":position"]?.S });
    }
    if (action === "BatchGetItem") payloads += body.split('"payload#').length - 1;
    return undefined;
  });
  await task().finally(end);
  return { queries, payloads };
}

describe("a page", () => {
  it("reads no more of the log than it may show", async () => {
    const reader = await newReader(stack);
    const stream = streams.user(reader.userId);
    await source.fill(stream, upTo(400));
    const since = (await list(reader, "?size=100", { publicApi })).body.notifications.at(-1).id;
    for (const query of ["?size=100", `?size=100&since=${since}`]) {
      const { queries } = await readsDuring(stream, async () => {
        expect((await list(reader, query, { publicApi })).body.notifications).toHaveLength(100);
      });
      const entries = queries.reduce((sum, { limit = Number.POSITIVE_INFINITY }) => sum + limit, 0);
      expect(entries).toBeLessThanOrEqual(103);
    }
  });

  it("fetches only the payloads that it shows", async () => {
    const reader = await newReader(stack);
    const stream = streams.user(reader.userId);
    for (const number of upTo(130)) {
      const eventId = randomUUID();
      const payload = JSON.stringify([{ type: "test.numbered", number }]);
      await source.store.putPayloads(new Map([[eventId, payload]]));
      await source.store.append(stream, {
        eventId,
        committedAt: stack.clock(),
        isRepeated: false,
        payloadId: eventId,
      });
    }
    const { payloads } = await readsDuring(stream, async () => {
      const answer = await list(reader, "?size=100", { publicApi });
      expect(numbersListed(answer)).toEqual(upTo(100));
      expect(answer.body.has_more).toBe(true);
    });

    expect(payloads).toBe(100);
  });
});

describe("retention", () => {
  it("starts the list at the oldest kept entry, without reading expired ones", async () => {
    const reader = await newReader(stack);
    const stream = streams.user(reader.userId);
    const eventOf = (number: number) => ({
      eventId: randomUUID(),
      committedAt: stack.clock(),
      isRepeated: false,
      payload: JSON.stringify([{ type: "test.numbered", number }]),
    });
    await source.fill(stream, upTo(300));
    stack.advance(3601);
    for (const number of [301, 302, 303]) await source.store.append(stream, eventOf(number));
    const gone = uuidV1({ msecs: stack.clock() - 3_700_000 });
    for (const [query, version] of [
      ["", "/v8"],
      [`?since=${gone}`, "/v2"],
    ] as const) {
      const { queries } = await readsDuring(stream, async () => {
        const answer = await list(reader, query, { version, publicApi });
        expect(numbersListed(answer)).toEqual([301, 302, 303]);
      });
      const pages = queries.filter(({ limit }) => limit !== 1);
      expect(pages.filter(({ position = "" }) => Number(position) < 300 && !query)).toEqual([]);
      expect(queries.length).toBeLessThanOrEqual(4);
    }
  });

  it("drops notifications that are older than the setting", async () => {
    const reader = await newReader(stack);
    const { token } = reader;
    const sender = randomUUID();
    await source.publish({ number: 1, to: [reader], sender });
    const [first] = await listOf(reader, 1, publicApi);
    stack.advance(3000);
    await source.publish({ number: 2, to: [reader], sender });
    await listOf(reader, 2, publicApi);

    stack.advance(601);
    const [second] = await listOf(reader, 1, publicApi);
    expect(second?.payload[0]?.number).toBe(2);
    const gone = await list(reader, `?since=${first?.id}`, { version: "/v3", publicApi });
    expect(outcome(gone)).toBe("404 not-found");
    expect(outcome(await publicApi("GET", `/notifications/${first?.id}`, { token }))).toBe("404 not-found");
    const old = await list(reader, `?since=${first?.id}`, { version: "/v2", publicApi });
    expect({ status: old.status, numbers: numbersListed(old) }).toEqual({ status: 404, numbers: [2] });

    stack.advance(3000);
    expect((await list(reader, "", { publicApi })).body.notifications).toEqual([]);
    expect(outcome(await publicApi("GET", "/notifications/last", { token }))).toBe("404 not-found");
    await source.publish({ number: 3, to: [reader], sender });
    const [third] = await listOf(reader, 1, publicApi);
    expect(third?.id).not.toBe(first?.id);
  });

  it("purges logs as soon as they have expired, and queues of devices later", async () => {
    const { userId } = await newReader(stack);
    const [log, queue] = [streams.user(userId), streams.device(userId, "aa")];
    for (const stream of [log, queue]) {
      const entry = { eventId: randomUUID(), committedAt: stack.clock(), isRepeated: false, payload: "[]" };
      await source.store.append(stream, entry);
    }
    const dynamo = new DynamoDBClient();
    const purge = () =>
      deleteExpired(
        dynamo,
        `${stack.prefix}-notifications`,
        tables.notifications,
        Math.floor(stack.clock() / 1000),
      );
    await purge();
    expect([await source.countIn(log), await source.countIn(queue)]).toEqual([1, 1]);
    stack.advance(28 * 86_400 + 1);
    await purge();
    dynamo.destroy();
    expect([await source.countIn(log), await source.countIn(queue)]).toEqual([0, 1]);
  });
});
