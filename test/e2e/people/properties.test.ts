import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { upTo } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { openSocket, type TestSocket } from "../../support/socket.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser, type User } from "../../support/users.ts";

type Caller = Pick<User, "token">;

const maxKeyLength = 1024;
const maxValueBytes = 524_288;

const pathOf = (key: string) => `/properties/${encodeURIComponent(key)}`;
const set = ({ token }: Caller, key: string, json: unknown) =>
  // `api` sends no body when `json` is undefined, but null is a value here.
  setText({ token }, key, JSON.stringify(json));
const setText = (
  { token }: Caller,
  key: string,
  body?: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { "content-type": "application/json" },
) => api("PUT", pathOf(key), { token, body, headers });
const get = ({ token }: Caller, key: string) => api("GET", pathOf(key), { token });
const remove = ({ token }: Caller, key: string) => api("DELETE", pathOf(key), { token });
const clear = ({ token }: Caller) => api("DELETE", "/properties", { token });
const keysOf = async ({ token }: Caller) => (await api("GET", "/properties", { token })).body;
const valuesOf = async ({ token }: Caller) => (await api("GET", "/properties-values", { token })).body;

const textOf = async ({ token }: Caller, path: string) => {
  const answer = await fetch(sharedStack().publicUrl + path, {
    headers: { authorization: `Bearer ${token}` },
  });
  return answer.text();
};

/** A JSON text of this many bytes. */
const jsonOfBytes = (bytes: number) => JSON.stringify("x".repeat(bytes - 2));

interface PropertyEvent {
  readonly type: string;
  readonly key?: string;
  readonly value?: unknown;
}

/** Events about properties in the order of the log, once they are complete. */
const eventsWhen = ({ token }: Caller, isComplete: (events: readonly PropertyEvent[]) => boolean) =>
  eventually(async () => {
    const { body } = await api("GET", "/notifications", { token });
    const all: PropertyEvent[] = body.notifications.flatMap(
      ({ payload }: { payload: PropertyEvent[] }) => payload,
    );
    const events = all.filter(({ type }) => type.startsWith("user.properties-"));
    if (!isComplete(events)) throw new Error(`${events.length} events`);
    return events;
  });

const eventsOf = (caller: Caller, count: number) => eventsWhen(caller, ({ length }) => length === count);
const eventsUpTo = (caller: Caller, lastKey: string) =>
  eventsWhen(caller, (events) => events.at(-1)?.key === lastKey);

describe.concurrent("a property", () => {
  it("can be any JSON value, and is read back equal", async () => {
    const user = await newUser();
    const values = [
      null,
      false,
      0,
      "",
      [],
      {},
      '😀 \u0000 \u2028 "\\',
      [1, [2, [{ a: null }]]],
      -1.5e-7,
      JSON.parse('{"__proto__":{"a":1},"constructor":[],"":0}'),
    ];
    for (const value of values) {
      const { status, body } = await set(user, "value", value);
      expect([status, body]).toEqual([200, ""]);
      expect(await get(user, "value")).toMatchObject({ status: 200, body: value });
    }
    expect(await textOf(user, "/properties/value")).toBe('{"__proto__":{"a":1},"constructor":[],"":0}');
  });

  it("keeps numbers digit by digit, even in its event", async () => {
    const user = await newUser();
    const text = '{"id":12345678901234567890,"huge":1e400,"price":1.50,"zero":-0,"list":[1E5]}';
    await setText(user, "numbers", ` ${text}\n`);
    await eventsOf(user, 1);

    expect(await textOf(user, "/properties/numbers")).toBe(text);
    expect(await textOf(user, "/properties-values")).toBe(`{"numbers":${text}}`);
    expect(await textOf(user, "/notifications")).toContain(`"value":${text}}`);
  });

  it("can have any key of printable ASCII", async () => {
    const user = await newUser();
    const odd = "~!@#$^&*()?=;:'\"<>{}|\\`";
    const slashes = ["a/b", "/", "a//b/", "users/a", "%", "a%2Fb", "100%", "a?b=c", "a+b"];
    const keys = [...slashes, " ", "a b", odd, "__proto__", "constructor"];
    for (const key of keys) {
      expect((await set(user, key, { of: key })).status).toBe(200);
      expect((await get(user, key)).body).toEqual({ of: key });
    }
    expect(await keysOf(user)).toEqual(keys.toSorted());
    expect(await valuesOf(user)).toEqual(Object.fromEntries(keys.map((key) => [key, { of: key }])));
  });

  it("is the rest of the path, whether or not its slashes are encoded", async () => {
    const { token } = await newUser();
    await api("PUT", "/properties/a/b%2Fc", { token, json: 1 });
    await api("PUT", "/v8/properties/a%2Fb/c", { token, json: 2 });
    expect(await valuesOf({ token })).toEqual({ "a/b/c": 2 });
  });

  it("can have a slash on the internal API, where paths are decoded as API Gateway does", async () => {
    const { id, token } = await newUser();
    const setInternally = (path: string) =>
      internalApi("PUT", `/v8/properties/${path}`, { headers: { "z-user": id }, json: path });
    for (const path of ["a%2Fb", "c/d", "e%20f", "100%2525", "g%253Fh"]) {
      expect((await setInternally(path)).status).toBe(200);
    }
    expect(await keysOf({ token })).toEqual(["100%", "a/b", "c/d", "e f", "g?h"]);
  });

  it("refuses any other key with 400 bad-request", async () => {
    const user = { token: await tokenOf() };
    for (const key of ["ä", "a\u0000", "\n", "\u007f", "😀", `${"x".repeat(maxKeyLength)}é`]) {
      for (const call of [set(user, key, 1), get(user, key), remove(user, key)]) {
        expect(outcome(await call)).toBe("400 bad-request");
      }
    }
    const { status } = await api("GET", "/properties/%ff", user);
    expect(status).toBe(400);
  });

  it("belongs to its user alone", async () => {
    const [user, other] = await Promise.all([newUser(), newUser()]);
    await set(user, "secret", 1);
    await remove(other, "secret");
    await clear(other);

    expect(await get(other, "secret")).toMatchObject({ status: 404, body: "" });
    expect(await keysOf(other)).toEqual([]);
    expect((await get(user, "secret")).body).toBe(1);
  });

  it("works the same under every version", async () => {
    const { token } = await newUser();
    for (const version of ["/v0", "/v1", "/v6", "/v8", "/v9", ""]) {
      const key = `of${version.slice(1)}`;
      const put = await api("PUT", `${version}/properties/${key}`, { token, json: [version] });
      const read = await api("GET", `${version}/properties/${key}`, { token });
      expect([put.status, read.status, read.body]).toEqual([200, 200, [version]]);
      const listed = await api("GET", `${version}/properties`, { token });
      expect(listed.body).toContain(key);
      const values = await api("GET", `${version}/properties-values`, { token });
      expect(values.body[key]).toEqual([version]);
      expect((await api("DELETE", `${version}/properties/${key}`, { token })).status).toBe(200);
    }
    expect((await api("DELETE", "/v8/properties", { token })).status).toBe(200);
  });
});

describe.concurrent("an unknown property", () => {
  it("returns 404 with an empty body", async () => {
    const user = await newUser();
    for (const key of ["nothing", "x".repeat(maxKeyLength + 1)]) {
      const { status, body, headers } = await get(user, key);
      expect([status, body, headers.get("content-type")]).toEqual([404, "", null]);
    }
    expect([await keysOf(user), await valuesOf(user)]).toEqual([[], {}]);
  });

  it("can be deleted with 200 and without an event, alone or with all others", async () => {
    const user = await newUser();
    for (const call of [() => remove(user, "nothing"), () => clear(user)]) {
      expect(await call()).toMatchObject({ status: 200, body: "" });
    }
    await set(user, "a", 1);
    await clear(user);
    await clear(user);
    await remove(user, "a");
    await set(user, "b", 2);

    expect(await eventsOf(user, 3)).toEqual([
      { type: "user.properties-set", key: "a", value: 1 },
      { type: "user.properties-clear" },
      { type: "user.properties-set", key: "b", value: 2 },
    ]);
  });
});

describe.concurrent("limits on properties", () => {
  it("refuse a 17th key with 403 too-many-properties, but not an update", async () => {
    const user = await newUser();
    for (const number of upTo(16)) expect((await set(user, `key ${number}`, number)).status).toBe(200);

    expect(outcome(await set(user, "key 17", 17))).toBe("403 too-many-properties");
    expect((await set(user, "key 16", "new")).status).toBe(200);
    expect(await keysOf(user)).toHaveLength(16);
    expect(await get(user, "key 16")).toMatchObject({ status: 200, body: "new" });
    await remove(user, "key 3");
    expect((await set(user, "key 17", 17)).status).toBe(200);
    expect(outcome(await set(user, "key 3", 3))).toBe("403 too-many-properties");
  });

  it("apply to 20 keys that are set concurrently, of which 16 are stored", async () => {
    const user = await newUser();
    const outcomes = await Promise.all(
      upTo(20).map(async (number) => outcome(await set(user, `key ${number}`, number))),
    );
    expect(outcomes.filter((one) => one === "200")).toHaveLength(16);
    expect(outcomes.filter((one) => one === "403 too-many-properties")).toHaveLength(4);

    const values: Record<string, number> = await valuesOf(user);
    expect(Object.keys(values).toSorted()).toEqual((await keysOf(user)).toSorted());
    const received = (await eventsOf(user, 16)).map(({ key }) => key);
    expect(received.toSorted()).toEqual(Object.keys(values).toSorted());
  });

  it("allow keys of 1024 characters, and refuse longer ones with 403 property-key-too-large", async () => {
    const user = await newUser();
    const longest = "k".repeat(maxKeyLength);
    expect((await set(user, longest, 1)).status).toBe(200);
    expect((await get(user, longest)).body).toBe(1);
    expect(outcome(await set(user, `${longest}k`, 1))).toBe("403 property-key-too-large");
    expect(await keysOf(user)).toEqual([longest]);
  });

  it("allow values of 524288 bytes, and refuse larger ones with 403 property-value-too-large", async () => {
    const user = await newUser();
    const largest = jsonOfBytes(maxValueBytes);
    const wide = JSON.stringify("é".repeat((maxValueBytes - 2) / 2));
    for (const text of [largest, wide]) {
      expect((await setText(user, "large", text)).status).toBe(200);
      expect(await textOf(user, "/properties/large")).toBe(text);
    }
    const padded = `[1, 2]${" ".repeat(maxValueBytes)}`;
    for (const text of [jsonOfBytes(maxValueBytes + 1), `${wide} `, padded]) {
      expect(outcome(await setText(user, "large", text))).toBe("403 property-value-too-large");
    }
    expect(await textOf(user, "/properties/large")).toBe(wide);
    await set(user, "large", "small");
    expect((await get(user, "large")).body).toBe("small");
    expect(await valuesOf(user)).toEqual({ large: "small" });
  });

  it("allow all values together to fill one response, and no more", async () => {
    const user = await newUser();
    // In a Lambda response, quotes and backslashes count twice.
    const dense = JSON.stringify('"'.repeat((maxValueBytes - 2) / 2));
    const outcomes: string[] = [];
    for (const number of upTo(5)) outcomes.push(outcome(await setText(user, `dense ${number}`, dense)));
    const one = await setText(user, "last", jsonOfBytes(maxValueBytes / 8));

    expect(outcomes).toEqual([...Array(4).fill("200"), "403 property-value-too-large"]);
    expect(one.status).toBe(200);
    const values = await valuesOf(user);
    expect(Object.keys(values)).toEqual([...upTo(4).map((number) => `dense ${number}`), "last"]);
    expect(JSON.stringify(values["dense 4"]) === dense).toBe(true);

    expect((await clear(user)).status).toBe(200);
    expect([await keysOf(user), await valuesOf(user)]).toEqual([[], {}]);
    expect((await get(user, "dense 1")).status).toBe(404);
    const types = (await eventsOf(user, 7)).map(({ type }) => type);
    expect(types.slice(5)).toEqual(["user.properties-clear", "user.properties-clear"]);
  });

  it("follow the settings", async () => {
    const stack = await stackWith({ setPropertyMaxKeyLen: 8, setPropertyMaxValueLen: 8 });
    const { token } = await newUser({}, stack);
    const put = async (key: string, json: unknown) =>
      outcome(await stack.publicApi("PUT", `/properties/${key}`, { token, json }));

    expect(await put("12345678", "123456")).toBe("200");
    expect(await put("123456789", 1)).toBe("403 property-key-too-large");
    expect(await put("1", "1234567")).toBe("403 property-value-too-large");
  });
});

describe.concurrent("the body of a property", () => {
  it("is refused with 400 bad-request when it is not JSON, or nested deeper than 64 levels", async () => {
    const user = { token: await tokenOf() };
    for (const text of ["undefined", `${"[".repeat(65)}0${"]".repeat(65)}`])
      expect(outcome(await setText(user, "key", text))).toBe("400 bad-request");
  });

  it("is refused with 415 for another content type, and with 413 above 1 MB", async () => {
    const user = { token: await tokenOf() };
    for (const type of ["", "text/plain"]) {
      const headers = { "content-type": type };
      expect(outcome(await setText(user, "key", "{}", headers))).toBe("415 unsupported-media-type");
    }
    expect(outcome(await setText(user, "key", jsonOfBytes(2 ** 20 + 1)))).toBe("413 request-too-large");
    expect((await get(user, "key")).status).toBe(404);
  });

  it("can be compressed with gzip, and counts with its original size", async () => {
    const user = await newUser();
    const headers = { "content-type": "application/json; charset=utf-8", "content-encoding": "gzip" };
    const zipped = (text: string) => new Uint8Array(gzipSync(text));
    expect((await setText(user, "key", zipped("[1]"), headers)).status).toBe(200);
    expect((await get(user, "key")).body).toEqual([1]);
    const large = await setText(user, "key", zipped(jsonOfBytes(maxValueBytes + 1)), headers);
    expect(outcome(large)).toBe("403 property-value-too-large");
  });
});

describe.concurrent("properties", () => {
  it("require a token", async () => {
    for (const [method, path] of [
      ["PUT", "/properties/a"],
      ["GET", "/properties/a"],
      ["DELETE", "/properties/a"],
      ["GET", "/properties"],
      ["DELETE", "/properties"],
      ["GET", "/properties-values"],
    ] as const) {
      expect(outcome(await api(method, path))).toBe("401 unauthorized");
      expect(outcome(await api(method, path, { token: "x" }))).toBe("401 unauthorized");
    }
  });

  it("cannot be set for an unknown user, with 404 not-found", async () => {
    const headers = { "Z-User": randomUUID() };
    const answer = await internalApi("PUT", "/properties/a", { headers, json: 1 });
    expect(outcome(answer)).toBe("404 not-found");
    expect(outcome(await internalApi("DELETE", "/properties", { headers }))).toBe("200");
  });

  it("keep the value of the last event when one key is set concurrently", async () => {
    const user = await newUser();
    const numbers = upTo(20);
    const sizeOf = (number: number) => (number % 10 === 0 ? 310_000 : 10);
    const statuses = await Promise.all(
      numbers.map(async (number) => (await set(user, "key", [number, "x".repeat(sizeOf(number))])).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    const { body } = await get(user, "key");
    expect(body[1]).toHaveLength(sizeOf(body[0]));
    const received = (await eventsOf(user, 20)).map(({ value }) => (value as [number, string])[0]);
    expect(received.at(-1)).toBe(body[0]);
    expect(received.toSorted((one, other) => one - other)).toEqual(numbers);
  });

  it("are read as a consistent snapshot while they change", async () => {
    const user = await newUser();
    const value = (filler: string) => filler.repeat(400_000);
    await set(user, "key", value("a"));
    const writing = Promise.all(["b", "c", "d"].map((filler) => set(user, "key", value(filler))));
    const reads = await Promise.all(
      upTo(12).map(async (number) =>
        number % 2 ? (await get(user, "key")).body : (await valuesOf(user)).key,
      ),
    );
    await writing;

    for (const read of reads) expect(read === value(read[0])).toBe(true);
  });

  it("match their events when they are cleared and set concurrently", async () => {
    const user = await newUser();
    await Promise.all(
      upTo(12).map((number) => (number % 4 === 0 ? clear(user) : set(user, `key ${number}`, number))),
    );
    await set(user, "last", 0);
    const events = await eventsUpTo(user, "last");
    const received = new Map<string, unknown>();
    for (const { type, key = "", value } of events) {
      if (type === "user.properties-clear") received.clear();
      else received.set(key, value);
    }
    expect(await valuesOf(user)).toEqual(Object.fromEntries(received));
  });
});

describe.concurrent("property events", () => {
  it("reach the user's other devices, and nobody else, when values are set, deleted or cleared", async () => {
    const [user, other] = await Promise.all([newUser(), newUser()]);
    const { body: second } = await api("POST", "/login?persist=true", {
      json: { email: user.email, password: user.password },
    });
    const [acting, watching, foreign] = await Promise.all([
      openSocket("/await", user),
      openSocket("/await", { token: second.access_token }),
      openSocket("/await", other),
    ]);
    await set(user, "prefs", { a: 1 });
    await remove(user, "prefs");
    await set(user, "prefs", null);
    await clear(user);
    await set(other, "own", 1);
    const expected = [
      { type: "user.properties-set", key: "prefs", value: { a: 1 } },
      { type: "user.properties-delete", key: "prefs" },
      { type: "user.properties-set", key: "prefs", value: null },
      { type: "user.properties-clear" },
    ];
    await watching.until((frames) => eventsIn(frames).length >= 4);

    expect(eventsIn(watching.frames)).toEqual(expected);
    expect(watching.frames.filter(({ transient }) => transient)).toEqual([]);
    expect(await eventsOf(user, 4)).toEqual(expected);
    expect(await eventsOf(other, 1)).toEqual([{ type: "user.properties-set", key: "own", value: 1 }]);
    expect([acting.frames, foreign.frames]).toEqual([[], []]);
  });

  it("are listed completely and in order even if they are so large that a socket at a gateway closes", async () => {
    const user = await newUser();
    const { body: second } = await api("POST", "/login?persist=true", {
      json: { email: user.email, password: user.password },
    });
    const watching = await openSocket("/await", { token: second.access_token });
    const values = [
      1,
      { text: 'é😀"\\'.repeat(45_000), numbers: upTo(1000) },
      "y".repeat(200_000),
      "x".repeat(maxValueBytes - 2),
      2,
    ];
    for (const [index, value] of values.entries()) {
      expect((await set(user, `key ${index}`, value)).status).toBe(200);
    }
    const events = await eventsOf(user, 5);

    for (const [index, value] of values.entries()) {
      const received = JSON.stringify(events[index]);
      expect(received === JSON.stringify({ type: "user.properties-set", key: `key ${index}`, value })).toBe(
        true,
      );
    }
    const { token } = user;
    const { body: last } = await api("GET", "/notifications/last", { token });
    expect(last.payload).toEqual([events[4]]);
    const { body: page } = await api("GET", "/notifications", { token });
    const { id } = page.notifications.at(-2);
    const { body: single } = await api("GET", `/notifications/${id}`, { token });
    expect(JSON.stringify(single.payload) === JSON.stringify([events[3]])).toBe(true);
    await watching.closed;
    expect(eventsIn(watching.frames).map(({ value }) => value)).toEqual([1]);
  });
});

/** Several events that wait for the same log share a frame. */
const eventsIn = (frames: TestSocket["frames"]) => frames.flatMap(({ payload }) => payload);

let token: Promise<string> | undefined;
/** Token of a user shared by the tests that change nothing. */
function tokenOf(): Promise<string> {
  token ??= newUser().then((user) => user.token);
  return token;
}
