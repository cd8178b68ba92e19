import { generateKeyPairSync, randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { type PublicJwk, toRawKey } from "#shared/mls/signature-key.ts";
import { type ApiAnswer, api, internalApi, outcome } from "../support/api.ts";
import { addClient, idOf, newDevice, putDevice } from "../support/devices.ts";
import { eventSource, newReader } from "../support/events.ts";
import { messagesTo, nextMessage } from "../support/messages.ts";
import { type OwnStack, ownStack } from "../support/own-stack.ts";
import { lastPrekey, newPrekey, newPrekeys } from "../support/prekeys.ts";
import { openSocket } from "../support/socket.ts";
import { activate, logIn, newEmail, newUser, register, type User } from "../support/users.ts";

const events = eventSource();

/** Asks for a second factor, and allows one device. */
let strict: OwnStack;
beforeAll(async () => {
  strict = await ownStack({ setUserMaxPermClients: 1, sndFactorPasswordChallenge: true });
});

const consumable = "consumable-notifications";
const consent = "legalhold-implicit-consent";
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const list = async ({ token }: Pick<User, "token">, prefix = "/v8") =>
  (await api("GET", `${prefix}/clients`, { token })).body;
const idsOf = async (user: Pick<User, "token">) => (await list(user)).map(({ id }: { id: string }) => id);
const update = ({ token }: Pick<User, "token">, id: string, json: object) =>
  api("PUT", `/v8/clients/${id}`, { token, json });
const remove = ({ token }: Pick<User, "token">, id: string, json: object = {}) =>
  api("DELETE", `/v8/clients/${id}`, { token, json });
const prekeyIds = async ({ token }: Pick<User, "token">, id: string) =>
  (await api("GET", `/v8/clients/${id}/prekeys`, { token })).body;
const renews = async (cookie: string | undefined) => outcome(await api("POST", "/access", { cookie }));

const atOnce = <Result>(count: number, start: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => start(index)));
const outcomes = (answers: ApiAnswer[]) => answers.map(outcome).sort();

/** The same user over another connection. */
const elsewhere = async (user: User): Promise<User> => ({
  ...user,
  token: (await logIn(user)).body.access_token,
});

/** Events of a user's log, in its order, as soon as there are so many of devices. */
const deviceEvents = ({ token }: Pick<User, "token">, count: number) =>
  vi.waitFor(
    async () => {
      const { body } = await api("GET", "/notifications", { token });
      // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever came
      const all = body.notifications.flatMap(({ payload }: any) => payload);
      const found = all.filter(({ type }: { type: string }) => type.startsWith("user.client-"));
      expect(found.length).toBeGreaterThanOrEqual(count);
      return found;
    },
    { timeout: 20_000, interval: 100 },
  );

describe.concurrent("a registration", () => {
  it("answers 201 with the device, and its id as Location", async () => {
    const user = await newUser();
    const fields = { class: "desktop", label: "Desk", model: "M1", cookie: "c1", capabilities: [consent] };
    const mls_public_keys = { ed25519: randomBytes(32).toString("base64") };
    const device = newDevice({ ...fields, mls_public_keys, password: user.password, unknown: 1 });
    const { status, headers, body } = await api("POST", "/v8/clients", { token: user.token, json: device });

    const view = { id: idOf(device), type: "permanent", time: iso, ...fields, mls_public_keys };
    expect({ status, body }).toEqual({ status: 201, body: view });
    expect(headers.get("location")).toBe(idOf(device));
    expect(await list(user)).toEqual([body]);
    expect(await api("GET", `/v8/clients/${idOf(device)}`, { token: user.token })).toMatchObject({
      status: 200,
      body,
    });
  });

  it("stores nothing that was not sent", async () => {
    const { body } = await addClient(await newUser());
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      type: "permanent",
      time: iso,
      capabilities: [],
      mls_public_keys: {},
    });
  });

  it("of the first device needs no password, of a second one the right one", async () => {
    const user = await newUser();
    expect(outcome(await addClient(user))).toBe("201");
    expect(outcome(await addClient(user))).toBe("403 missing-auth");
    expect(outcome(await addClient(user, { password: "a wrong password" }))).toBe("403 invalid-credentials");
    expect(outcome(await addClient(user, { password: "short" }))).toBe("400 bad-request");
    expect(outcome(await addClient(user, { password: user.password }))).toBe("201");
  });

  it("counts devices of its own type only when it asks for a password", async () => {
    const user = await newUser();
    expect(outcome(await addClient(user))).toBe("201");
    expect(outcome(await addClient(user, { type: "temporary" }))).toBe("201");
    expect(outcome(await addClient(user, { type: "temporary" }))).toBe("403 missing-auth");
  });

  it("of users without a password needs none, and refuses one", async () => {
    const { body } = await register({});
    const { body: access } = await api("POST", "/access", { cookie: (await register({})).cookie });
    expect(body.expires_at).toBeDefined();
    const user = { token: access.access_token };
    expect(outcome(await addClient(user))).toBe("201");
    expect(outcome(await addClient(user))).toBe("201");
    expect(outcome(await addClient(user, { password: "some password" }))).toBe("403 invalid-credentials");
  });

  it("of a suspended user's second device is 403", async () => {
    const user = await newUser();
    await addClient(user);
    await internalApi("PUT", `/i/users/${user.id}/status`, { json: { status: "suspended" } });
    expect(outcome(await addClient(user, { password: user.password }))).toBe("403 suspended");
  });

  it("beyond seven permanent devices is 403, also with the password; the same device again is not", async () => {
    const user = await newUser();
    const { password } = user;
    const seventh = newDevice({ password });
    for (let count = 0; count < 6; count++) await addClient(user, { password });
    expect(outcome(await addClient(user, seventh))).toBe("201");

    expect(outcome(await addClient(user))).toBe("403 missing-auth");
    expect(outcome(await addClient(user, { password }))).toBe("403 too-many-clients");
    expect(outcome(await addClient(user, { ...seventh, password: undefined }))).toBe("201");
    expect(outcome(await addClient(user, { type: "temporary" }))).toBe("201");
    expect(await idsOf(user)).toHaveLength(8);
    expect(outcome(await remove(user, idOf(seventh), { password }))).toBe("200");
    expect(outcome(await addClient(user, { password }))).toBe("201");
  });

  it("of a legal-hold device is 400", async () => {
    const user = await newUser();
    expect(outcome(await addClient(user, { type: "legalhold" }))).toBe("400 client-error");
  });

  it("cannot take the place of a legal-hold device", async () => {
    const user = await newUser();
    const device = newDevice();
    await putDevice(user, { clientId: idOf(device), type: "legalhold" });
    expect(outcome(await addClient(user, device))).toBe("400 client-error");
    expect((await list(user))[0].type).toBe("legalhold");
  });

  it("looks at second factor, password, limit and keys, in this order", async () => {
    const { publicApi } = strict;
    const email = newEmail();
    const password = "a password";
    const { cookie } = await register({ email, password }, strict);
    const { body } = await publicApi("POST", "/access", { cookie });
    const add = async (fields: object) =>
      outcome(await addClient({ token: body.access_token }, { ...badKeys, ...fields }, { publicApi }));
    const badKeys = { lastkey: newPrekey(1), mls_public_keys: { ed25519: "AAAA" } };

    // Without a verified address there is none to send a code to.
    expect(await add({})).toBe("400 bad-request");
    expect(await add(newDevice({ mls_public_keys: {} }))).toBe("201");
    expect(await add({})).toBe("403 missing-auth");
    expect(await add({ password })).toBe("403 too-many-clients");
    await activate({ email }, strict);
    expect(await add({ password })).toBe("403 code-authentication-required");
    expect(await add({ verification_code: "123456" })).toBe("403 code-authentication-failed");
  });

  it("with prekeys that are none is 400", async () => {
    const user = await newUser();
    const { key } = newPrekey(5);
    const bad = [
      { prekeys: [{ id: 6, key }] },
      { prekeys: [newPrekey(1), { id: 5, key: `${key}!` }] },
      { prekeys: [{ id: 5, key: "AAAA" }] },
      { prekeys: [{ id: 5, key: "" }] },
      { prekeys: [{ id: 70_000, key }] },
      { prekeys: [null] },
      { prekeys: undefined },
      { prekeys: {} },
      { lastkey: newPrekey(5) },
      { lastkey: { id: 65_535, key } },
      { lastkey: undefined },
      { lastkey: lastPrekey().key },
    ];
    for (const fields of bad) {
      expect([fields, outcome(await addClient(user, fields))]).toEqual([fields, "400 bad-request"]);
    }
    expect(await list(user)).toEqual([]);
    expect(outcome(await addClient(user, { prekeys: [] }))).toBe("201");
  });

  it("with fields that do not fit is 400", async () => {
    const user = await newUser();
    const bad = [
      { type: "other" },
      { type: undefined },
      { class: "watch" },
      { label: 1 },
      { label: "x".repeat(1025) },
      { model: null },
      { cookie: "x".repeat(257) },
      { capabilities: ["other"] },
      { capabilities: { capabilities: [] } },
      { verification_code: 123456 },
      { mls_public_keys: [] },
    ];
    for (const fields of bad) {
      expect([fields, outcome(await addClient(user, fields))]).toEqual([fields, "400 bad-request"]);
    }
  });

  it("of a last key that is registered replaces that device, without a password", async () => {
    const user = await newUser();
    const device = newDevice({
      label: "before",
      model: "M1",
      capabilities: [consent],
      prekeys: newPrekeys(5),
    });
    const first = await addClient(user, device);
    const again = {
      ...device,
      label: "after",
      model: undefined,
      capabilities: [],
      prekeys: newPrekeys(2, 10),
    };
    const second = await addClient(user, again);

    expect(second.status).toBe(201);
    expect(second.body).toEqual({
      id: first.body.id,
      type: "permanent",
      time: iso,
      label: "after",
      capabilities: [],
      mls_public_keys: {},
    });
    expect(await list(user)).toEqual([second.body]);
    expect(await prekeyIds(user, idOf(device))).toEqual([10, 11, 65_535]);
  });

  it("that gives a registered device another type needs the password", async () => {
    const user = await newUser();
    const device = newDevice();
    await addClient(user, device);
    const temporary = { ...device, type: "temporary" };
    expect(outcome(await addClient(user, temporary))).toBe("403 missing-auth");
    expect(outcome(await addClient(user, { ...temporary, password: user.password }))).toBe("201");
    expect(await list(user)).toMatchObject([{ id: idOf(device), type: "temporary" }]);
  });

  it("of an unknown user is 404", async () => {
    expect(outcome(await addClient(await newReader()))).toBe("404 not-found");
  });
});

describe.concurrent("a temporary device", () => {
  it("replaces the one before, whose cookies, prekeys and queue go with it", async () => {
    const user = await newUser();
    const { cookie: ofFirst } = await logIn(user, { label: "first" });
    const { cookie: ofOther } = await logIn(user, { label: "other" });
    const permanent = await addClient(user, { cookie: "other" });
    const first = newDevice({ type: "temporary", cookie: "first", capabilities: [consumable] });
    await addClient(user, first);
    expect(await events.sockets.getQueue(user.id, idOf(first))).toBeDefined();
    expect(await renews(ofFirst)).toBe("200");

    const second = await addClient(user, { type: "temporary", cookie: "second", password: user.password });
    expect(second.status).toBe(201);
    expect(await list(user)).toEqual([permanent.body, second.body]);
    expect(await renews(ofFirst)).toBe("403 invalid-credentials");
    expect([await renews(ofOther), await renews(user.cookie)]).toEqual(["200", "200"]);
    expect(await prekeyIds(user, idOf(first))).toEqual([]);
    expect(await events.sockets.getQueue(user.id, idOf(first))).toBeUndefined();

    const [, , removed, added] = await deviceEvents(user, 4);
    expect(removed).toEqual({ type: "user.client-remove", client: { id: idOf(first) } });
    expect(added).toMatchObject({ type: "user.client-add", client: { id: second.body.id } });
  });

  it("goes without a password", async () => {
    const user = await newUser();
    const { body } = await addClient(user, { type: "temporary" });
    expect(outcome(await remove(user, body.id))).toBe("200");
    expect(await list(user)).toEqual([]);
  });
});

describe.concurrent("the devices of a user", () => {
  it("are listed from the oldest on", async () => {
    const user = await newUser();
    const added: string[] = [];
    for (let count = 0; count < 4; count++) {
      added.push((await addClient(user, { password: user.password })).body.id);
    }
    expect(await idsOf(user)).toEqual(added);
  });

  it("are nobody else's", async () => {
    const [owner, other] = [await newUser(), await newUser()];
    const { id } = (await addClient(owner, { capabilities: [consent] })).body;
    const { token } = other;
    expect(await list(other)).toEqual([]);
    expect(await api("GET", `/v8/clients/${id}`, { token })).toMatchObject({ status: 404, body: "" });
    expect(outcome(await api("GET", `/v8/clients/${id}/capabilities`, { token }))).toBe(
      "404 client-not-found",
    );
    expect(await prekeyIds(other, id)).toEqual([]);
    expect(outcome(await update(other, id, { label: "mine" }))).toBe("404 client-not-found");
    expect(outcome(await update(other, id, { prekeys: newPrekeys(1) }))).toBe("404 client-not-found");
    expect(outcome(await remove(other, id, { password: other.password }))).toBe("404 client-not-found");
    expect(await list(owner)).toHaveLength(1);
  });

  it.each(["no-such-device", "constructor", "toString", "x".repeat(64)])("do not include %s", async (id) => {
    const { token } = await newUser();
    for (const prefix of ["", "/v7", "/v8"]) {
      expect(await api("GET", `${prefix}/clients/${id}`, { token })).toMatchObject({
        status: 404,
        body: "",
      });
      expect(outcome(await api("GET", `${prefix}/clients/${id}/capabilities`, { token }))).toBe(
        "404 client-not-found",
      );
    }
    expect(outcome(await update({ token }, id, {}))).toBe("404 client-not-found");
    expect(outcome(await remove({ token }, id))).toBe("404 client-not-found");
  });

  it.each(["__proto__", "%00", "x".repeat(65), "a%2Fb", "%F0%9F%99%82"])(
    "cannot have the id %s",
    async (id) => {
      const { token } = await newUser();
      for (const path of ["", "/capabilities", "/prekeys", "/nonce"]) {
        expect(outcome(await api("GET", `/v8/clients/${id}${path}`, { token }))).toBe("400 bad-request");
      }
    },
  );

  it("show when they were last active, without milliseconds, once they were", async () => {
    const user = await newUser();
    const { id } = (await addClient(user)).body;
    await putDevice(user, { clientId: id, lastActiveAt: 2900 * 604_800_000 });
    expect(await list(user)).toMatchObject([{ id, last_active: "2025-07-31T00:00:00Z" }]);
  });
});

describe.concurrent("capabilities", () => {
  const both = [consent, consumable];
  const shapes = {
    "": { capabilities: [consent] },
    "/v0": { capabilities: [consent] },
    "/v6": { capabilities: [consent] },
    "/v7": [consent],
    "/v8": both,
    "/v9": both,
  };

  it.each(Object.entries(shapes))("are shown to clients of %s as they know them", async (prefix, shape) => {
    const user = await newUser();
    const { token } = user;
    const added = await addClient(user, { capabilities: both }, { prefix });
    const { id } = added.body;
    expect(added.body.capabilities).toEqual(shape);
    expect((await list(user, prefix))[0].capabilities).toEqual(shape);
    expect((await api("GET", `${prefix}/clients/${id}`, { token })).body.capabilities).toEqual(shape);
    expect((await api("GET", `${prefix}/clients/${id}/capabilities`, { token })).body).toEqual(shape);
    expect((await list(user))[0].capabilities).toEqual(both);
  });

  it("can be added, not removed", async () => {
    const user = await newUser();
    const { id } = (await addClient(user, { capabilities: [consent, consent] })).body;
    const capabilities = async () => (await list(user))[0].capabilities;
    expect(await capabilities()).toEqual([consent]);
    for (const fewer of [[], [consumable]]) {
      const answer = await update(user, id, { capabilities: fewer });
      expect(outcome(answer)).toBe("409 client-capabilities-cannot-be-removed");
    }
    expect(outcome(await update(user, id, { capabilities: [consent] }))).toBe("200");
    expect(outcome(await update(user, id, { capabilities: both }))).toBe("200");
    expect(await capabilities()).toEqual(both);
    expect(outcome(await update(user, id, { capabilities: ["other"] }))).toBe("400 bad-request");
  });

  it("with consumable-notifications give the device its queue, at registration or later", async () => {
    const user = await newUser();
    const { token, password } = user;
    const { id: one } = (await addClient(user, { capabilities: [consumable] })).body;
    const { id: other } = (await addClient(user, { password })).body;
    expect(await events.sockets.getQueue(user.id, one)).toMatchObject({ acknowledgedUpTo: 0 });
    expect(await events.sockets.getQueue(user.id, other)).toBeUndefined();
    await update(user, other, { capabilities: [consumable] });
    await update(user, other, { capabilities: [consumable] });
    expect(await events.sockets.getQueue(user.id, other)).toBeDefined();

    const socket = await openSocket("/v8/events", { token, query: { client: one } });
    const [frame] = await socket.first(1);
    expect(frame.data.event.payload).toMatchObject([{ type: "user.client-add", client: { id: one } }]);
  });

  it("that come back after a removal start with an empty queue", async () => {
    const user = await newUser();
    const { token, password } = user;
    const device = newDevice({ capabilities: [consumable] });
    await addClient(user, device);
    const id = idOf(device);
    await deviceEvents(user, 1);
    expect(outcome(await remove(user, id, { password }))).toBe("200");
    await addClient(user, { ...device, label: "again" });
    const socket = await openSocket("/v8/events", { token, query: { client: id } });
    const labelIn = (frame: { data: { event: { payload: [{ client: { label?: string } }] } } }) =>
      frame.data.event.payload[0].client.label;
    await socket.next((frame) => labelIn(frame) === "again");
    const added = socket.frames.filter(({ data }) => data.event.payload[0].type === "user.client-add");
    expect(added.map(labelIn)).toEqual(["again"]);
  });

  it("that a new registration leaves out take the queue away", async () => {
    const user = await newUser();
    const device = newDevice({ capabilities: [consumable] });
    await addClient(user, device);
    await addClient(user, { ...device, capabilities: [] });
    expect(await events.sockets.getQueue(user.id, idOf(device))).toBeUndefined();
  });
});

describe.concurrent("MLS public keys", () => {
  const newJwk = {
    ed25519: () => generateKeyPairSync("ed25519"),
    ecdsa_secp256r1_sha256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
    ecdsa_secp384r1_sha384: () => generateKeyPairSync("ec", { namedCurve: "P-384" }),
    ecdsa_secp521r1_sha512: () => generateKeyPairSync("ec", { namedCurve: "P-521" }),
  };
  const newKey = (scheme: keyof typeof newJwk) =>
    toRawKey(newJwk[scheme]().publicKey.export({ format: "jwk" }) as PublicJwk).toString("base64");
  const schemes = Object.keys(newJwk) as (keyof typeof newJwk)[];

  it("can be set once for each scheme, at registration or later", async () => {
    const user = await newUser();
    const ed25519 = newKey("ed25519");
    const { id } = (await addClient(user, { mls_public_keys: { ed25519 } })).body;
    const added = Object.fromEntries(schemes.slice(1).map((scheme) => [scheme, newKey(scheme)]));
    expect(outcome(await update(user, id, { mls_public_keys: added }))).toBe("200");
    expect((await list(user))[0].mls_public_keys).toEqual({ ed25519, ...added });

    const duplicate = "400 mls-duplicate-public-key";
    expect(outcome(await update(user, id, { mls_public_keys: { ed25519 } }))).toBe(duplicate);
    for (const scheme of schemes) {
      const answer = await update(user, id, { mls_public_keys: { [scheme]: newKey(scheme) } });
      expect(outcome(answer)).toBe(duplicate);
    }
    expect(outcome(await update(user, id, { mls_public_keys: {} }))).toBe("200");
    expect((await list(user))[0].mls_public_keys).toEqual({ ed25519, ...added });
  });

  it("of unknown schemes, or that are no keys of theirs, are 400", async () => {
    const user = await newUser();
    const { id } = (await addClient(user)).body;
    const key = newKey("ed25519");
    const bad: object[] = [
      { ed448: key },
      { ed25519: `${key.slice(0, -1)}!` },
      { ed25519: key.slice(0, -1) },
      { ed25519: "" },
      { ed25519: 1 },
      { ed25519: newKey("ecdsa_secp256r1_sha256") },
      { ecdsa_secp256r1_sha256: key },
      { ecdsa_secp256r1_sha256: randomBytes(65).fill(4, 0, 1).toString("base64") },
      { ecdsa_secp256r1_sha256: newKey("ecdsa_secp384r1_sha384") },
      { ed25519: key, constructor: key },
    ];
    for (const mls_public_keys of bad) {
      const answers = [
        await update(user, id, { mls_public_keys }),
        await addClient(user, { mls_public_keys, password: user.password }),
      ];
      expect([mls_public_keys, ...answers.map(outcome)]).toEqual([
        mls_public_keys,
        "400 bad-request",
        "400 bad-request",
      ]);
    }
    expect(await list(user)).toMatchObject([{ mls_public_keys: {} }]);
  });
});

describe.concurrent("an update", () => {
  it("changes what it names, without an event", async () => {
    const user = await newUser();
    const { body } = await addClient(user, { label: "before", model: "M1" });
    expect(await update(user, body.id, {})).toMatchObject({ status: 200, body: "" });
    expect(await list(user)).toEqual([body]);
    await update(user, body.id, { label: "after" });
    expect(await list(user)).toEqual([{ ...body, label: "after" }]);
    await update(user, body.id, { label: "" });
    expect(await list(user)).toEqual([{ ...body, label: "" }]);
    await remove(user, body.id, { password: user.password });
    expect((await deviceEvents(user, 2)).map(({ type }: { type: string }) => type)).toEqual([
      "user.client-add",
      "user.client-remove",
    ]);
  });

  it("adds prekeys to those that are left", async () => {
    const user = await newUser();
    const { id } = (await addClient(user, { prekeys: newPrekeys(2) })).body;
    expect(outcome(await update(user, id, { prekeys: newPrekeys(3, 1) }))).toBe("200");
    expect(await prekeyIds(user, id)).toEqual([0, 1, 2, 3, 65_535]);
    expect(outcome(await update(user, id, { lastkey: lastPrekey() }))).toBe("200");
    expect(await idsOf(user)).toEqual([id]);
    expect(await prekeyIds(user, id)).toEqual([0, 1, 2, 3, 65_535]);
  });

  it("with prekeys that are none is 400 and changes nothing", async () => {
    const user = await newUser();
    const { id } = (await addClient(user, { prekeys: [] })).body;
    const { key } = newPrekey(1);
    for (const bad of [{ prekeys: [{ id: 2, key }] }, { lastkey: newPrekey(1) }, { prekeys: [{ id: 1 }] }]) {
      expect(outcome(await update(user, id, { label: "x", ...bad }))).toBe("400 bad-request");
    }
    expect((await list(user))[0].label).toBeUndefined();
    expect(await prekeyIds(user, id)).toEqual([65_535]);
  });
});

describe.concurrent("a removal", () => {
  it("needs the password, and takes prekeys, queue and the cookies with the label along", async () => {
    const user = await newUser();
    const { password } = user;
    const { cookie } = await logIn(user, { label: "desk" });
    const { id } = (await addClient(user, { cookie: "desk", capabilities: [consumable] })).body;
    expect(outcome(await remove(user, id))).toBe("403 missing-auth");
    expect(outcome(await remove(user, id, { password: "a wrong password" }))).toBe("403 invalid-credentials");
    expect(outcome(await remove(user, id, { password: "short" }))).toBe("400 bad-request");
    expect(await renews(cookie)).toBe("200");

    expect(await remove(user, id, { password })).toMatchObject({ status: 200, body: "" });
    expect(await list(user)).toEqual([]);
    expect(await prekeyIds(user, id)).toEqual([]);
    expect(await events.sockets.getQueue(user.id, id)).toBeUndefined();
    expect(await renews(cookie)).toBe("403 invalid-credentials");
    expect(await renews(user.cookie)).toBe("200");
    expect(outcome(await remove(user, id, { password }))).toBe("404 client-not-found");
  });

  it("of users without a password needs none, and refuses one", async () => {
    const { body } = await api("POST", "/access", { cookie: (await register({})).cookie });
    const user = { token: body.access_token };
    const { id } = (await addClient(user)).body;
    expect(outcome(await remove(user, id, { password: "some password" }))).toBe("403 invalid-credentials");
    expect(outcome(await remove(user, id))).toBe("200");
  });

  it("of a legal-hold device is 400", async () => {
    const user = await newUser();
    await putDevice(user, { clientId: "1", type: "legalhold" });
    expect(outcome(await remove(user, "1", { password: user.password }))).toBe("400 client-error");
    expect(await list(user)).toHaveLength(1);
  });
});

describe.concurrent("the user's devices", () => {
  it("learn of one that is added or removed, but for the connection that did it", async () => {
    const user = await newUser();
    const other = await elsewhere(user);
    const [own, others] = [await openSocket("/await", user), await openSocket("/await", other)];
    const fields = {
      class: "phone",
      label: "Pocket",
      model: "P1",
      cookie: "c",
      capabilities: [consent, consumable],
    };
    const mls_public_keys = { ed25519: randomBytes(32).toString("base64") };
    const { id, time } = (await addClient(user, { ...fields, mls_public_keys })).body;
    await remove(user, id, { password: user.password });

    const [added, removed] = await others.first(2);
    expect(added.payload).toEqual([
      {
        type: "user.client-add",
        client: {
          ...{ id, type: "permanent", time, ...fields, mls_public_keys },
          capabilities: { capabilities: [consent] },
        },
      },
    ]);
    expect(removed.payload).toEqual([{ type: "user.client-remove", client: { id } }]);
    expect(await deviceEvents(user, 2)).toEqual([...added.payload, ...removed.payload]);
    expect(own.frames).toEqual([]);
  });

  it("are not the devices of others", async () => {
    const [user, stranger] = [await newUser(), await newUser()];
    const socket = await openSocket("/await", stranger);
    await addClient(user);
    await deviceEvents(user, 1);
    await addClient(stranger);
    expect(await deviceEvents(stranger, 1)).toHaveLength(1);
    expect(socket.frames).toEqual([]);
  });
});

describe.concurrent("a mail", () => {
  it("tells of a device that is added to others, and of no other change", async () => {
    const user = await newUser();
    const { email, password } = user;
    const first = newDevice();
    await addClient(user, first);
    await addClient(user, first);
    await addClient(user, { label: "New & <shiny>", model: "M2", password });
    const mail = await nextMessage(email, { count: 2 });
    expect(mail.headers["X-Svc-Purpose"]).toBe("NewDevice");
    expect(mail.text).toContain("New & <shiny>");
    expect(mail.text).toContain("M2");
    const purposes = (await messagesTo(email)).map(({ headers }) => headers["X-Svc-Purpose"]);
    expect(purposes.filter((purpose) => purpose === "NewDevice")).toHaveLength(1);
  });
});

describe.concurrent("at once", () => {
  it("20 registrations of permanent devices give exactly seven", async () => {
    const user = await newUser();
    const { password } = user;
    const answers = await atOnce(20, () => addClient(user, { password }));
    expect(outcomes(answers)).toEqual([...Array(7).fill("201"), ...Array(13).fill("403 too-many-clients")]);
    const added = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
    expect((await idsOf(user)).sort()).toEqual(added.sort());
    expect(await deviceEvents(user, 7)).toHaveLength(7);
  });

  it("20 first registrations without a password give exactly one", async () => {
    const user = await newUser();
    const answers = await atOnce(20, () => addClient(user));
    expect(outcomes(answers)).toEqual(["201", ...Array(19).fill("403 missing-auth")]);
    expect(await list(user)).toHaveLength(1);
  });

  it("temporary devices leave one, and an event for each that went", async () => {
    const user = await newUser();
    const answers = await atOnce(5, () => addClient(user, { type: "temporary", password: user.password }));
    expect(outcomes(answers)).toEqual(Array(5).fill("201"));
    const left = await idsOf(user);
    expect(left).toHaveLength(1);
    const told = await deviceEvents(user, 9);
    const ids = (wanted: string) =>
      // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever came
      told.filter(({ type }: any) => type === wanted).map(({ client }: any) => client.id);
    const removed = ids("user.client-remove");
    expect(removed).toHaveLength(4);
    expect([...removed, ...left].sort()).toEqual(ids("user.client-add").sort());
  });

  it("the same device ten times is one", async () => {
    const user = await newUser();
    const device = newDevice({ prekeys: newPrekeys(20) });
    const answers = await atOnce(10, (index) => addClient(user, { ...device, label: `label ${index}` }));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await idsOf(user)).toEqual([idOf(device)]);
    expect(await prekeyIds(user, idOf(device))).toHaveLength(21);
  });

  it("20 removals of a device are one, told once", async () => {
    const user = await newUser();
    const { password } = user;
    const { id } = (await addClient(user)).body;
    const answers = await atOnce(20, () => remove(user, id, { password }));
    expect(outcomes(answers)).toEqual(["200", ...Array(19).fill("404 client-not-found")]);
    expect(await deviceEvents(user, 2)).toHaveLength(2);
  });

  it("20 keys for one scheme leave one", async () => {
    const user = await newUser();
    const { id } = (await addClient(user)).body;
    const keys = Array.from({ length: 20 }, () => randomBytes(32).toString("base64"));
    const answers = await atOnce(20, (index) =>
      update(user, id, { mls_public_keys: { ed25519: keys[index] } }),
    );
    expect(outcomes(answers)).toEqual(["200", ...Array(19).fill("400 mls-duplicate-public-key")]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await list(user))[0].mls_public_keys).toEqual({ ed25519: keys[winner] });
  });

  it("a removal and uploads of prekeys leave no prekeys behind", async () => {
    const user = await newUser();
    const { id } = (await addClient(user, { type: "temporary" })).body;
    const uploads = atOnce(10, (index) => update(user, id, { prekeys: newPrekeys(10, 100 * index) }));
    const removal = remove(user, id);
    await Promise.all([uploads, removal]);
    const others = outcomes(await uploads).filter((one) => one !== "200" && one !== "404 client-not-found");
    expect(others).toEqual([]);
    expect(outcome(await removal)).toBe("200");
    expect(await prekeyIds(user, id)).toEqual([]);
  });
});
