import { generateKeyPairSync, randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { type PublicJwk, toRawKey } from "#shared/devices/mls/signature-key.ts";
import { type ApiAnswer, api, internalApi, outcome } from "../../support/api.ts";
import { idOf, newDevice, putDevice, registerDevice } from "../../support/devices.ts";
import { eventSource, newReader } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { messagesTo, nextMessage } from "../../support/messages.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { lastPrekey, newPrekey, newPrekeys } from "../../support/prekeys.ts";
import { openSocket } from "../../support/socket.ts";
import { stackWith } from "../../support/stack-with.ts";
import { joinTeam, newTeam } from "../../support/teams.ts";
import {
  activate,
  logIn,
  newEmail,
  newUser,
  register,
  registeredUser,
  type User,
} from "../../support/users.ts";

const events = eventSource();

/** Requires a second factor, and allows a single device. */
let strict: OwnStack;
beforeAll(async () => {
  strict = await stackWith({
    setUserMaxPermClients: 1,
    sndFactorPasswordChallenge: { defaults: { status: "enabled" } },
  });
});

const consumable = "consumable-notifications";
const consent = "legalhold-implicit-consent";
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const list = async ({ token }: Pick<User, "token">, prefix = "/v8") =>
  (await api("GET", `${prefix}/clients`, { token })).body;
const idsOf = async (user: Pick<User, "token">) => (await list(user)).map(({ id }: { id: string }) => id);
const update = ({ token }: Pick<User, "token">, id: string, json: object) =>
  api("PUT", `/v8/clients/${id}`, { token, json });
const remove = ({ token }: Pick<User, "token">, id: string, json: object = {}) =>
  api("DELETE", `/v8/clients/${id}`, { token, json });
const prekeyIds = async ({ token }: Pick<User, "token">, id: string) =>
  (await api("GET", `/v8/clients/${id}/prekeys`, { token })).body;
const renewalOutcome = async (cookie: string | undefined) =>
  outcome(await api("POST", "/access", { cookie }));

const concurrently = <Result>(count: number, start: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => start(index)));
const outcomes = (answers: ApiAnswer[]) => answers.map(outcome).sort();

/** The same user over another connection. */
const withNewConnection = async (user: User): Promise<User> => ({
  ...user,
  token: (await logIn(user)).body.access_token,
});

/** Device events of a user in the order of the log, once there are this many. */
const deviceEvents = ({ token }: Pick<User, "token">, count: number) =>
  eventually(async () => {
    const { body } = await api("GET", "/notifications", { token });
    // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
    const all = body.notifications.flatMap(({ payload }: any) => payload);
    const found = all.filter(({ type }: { type: string }) => type.startsWith("user.client-"));
    expect(found.length).toBeGreaterThanOrEqual(count);
    return found;
  });

describe.concurrent("registering a device", () => {
  it("returns 201 with the device, and its id as Location", async () => {
    const user = await newUser();
    const fields = { class: "desktop", label: "Desk", model: "M1", cookie: "c1", capabilities: [consent] };
    const mls_public_keys = { ed25519: randomBytes(32).toString("base64") };
    const device = newDevice({ ...fields, mls_public_keys, password: user.password, unknown: 1 });
    const { status, headers, body } = await api("POST", "/v8/clients", { token: user.token, json: device });

    const view = { id: idOf(device), type: "permanent", time: isoTime, ...fields, mls_public_keys };
    expect({ status, body }).toEqual({ status: 201, body: view });
    expect(headers.get("location")).toBe(idOf(device));
    expect(await list(user)).toEqual([body]);
    expect(await api("GET", `/v8/clients/${idOf(device)}`, { token: user.token })).toMatchObject({
      status: 200,
      body,
    });
  });

  it("stores no fields that were not sent", async () => {
    const { body } = await registerDevice(await newUser());
    expect(body).toEqual({
      id: expect.stringMatching(/^[1-9a-f][0-9a-f]{0,15}$/),
      type: "permanent",
      time: isoTime,
      capabilities: [],
      mls_public_keys: {},
    });
  });

  it("needs no password for the first device, and the right one for a second", async () => {
    const user = await newUser();
    expect(outcome(await registerDevice(user))).toBe("201");
    expect(outcome(await registerDevice(user))).toBe("403 missing-auth");
    expect(outcome(await registerDevice(user, { password: "a wrong password" }))).toBe(
      "403 invalid-credentials",
    );
    expect(outcome(await registerDevice(user, { password: "short" }))).toBe("403 invalid-credentials");
    expect(outcome(await registerDevice(user, { password: user.password }))).toBe("201");
  });

  it("requires the password only if there is another device of the same type", async () => {
    const user = await newUser();
    expect(outcome(await registerDevice(user))).toBe("201");
    expect(outcome(await registerDevice(user, { type: "temporary" }))).toBe("201");
    expect(outcome(await registerDevice(user, { type: "temporary" }))).toBe("403 missing-auth");
  });

  it("needs no password for users without one, and refuses any", async () => {
    const { body } = await register({});
    const { body: access } = await api("POST", "/access", { cookie: (await register({})).cookie });
    expect(body.expires_at).toBeDefined();
    const user = { token: access.access_token };
    expect(outcome(await registerDevice(user))).toBe("201");
    expect(outcome(await registerDevice(user))).toBe("201");
    expect(outcome(await registerDevice(user, { password: "some password" }))).toBe(
      "403 invalid-credentials",
    );
  });

  it("returns 403 suspended for a second device of a suspended user", async () => {
    const user = await newUser();
    await registerDevice(user);
    await internalApi("PUT", `/i/users/${user.id}/status`, { json: { status: "suspended" } });
    expect(outcome(await registerDevice(user, { password: user.password }))).toBe("403 suspended");
  });

  it("returns 403 too-many-clients beyond seven permanent devices, but not for a known device", async () => {
    const user = await newUser();
    const { password } = user;
    const seventh = newDevice({ password });
    for (let count = 0; count < 6; count++) await registerDevice(user, { password });
    expect(outcome(await registerDevice(user, seventh))).toBe("201");

    expect(outcome(await registerDevice(user))).toBe("403 missing-auth");
    expect(outcome(await registerDevice(user, { password }))).toBe("403 too-many-clients");
    expect(outcome(await registerDevice(user, { ...seventh, password: undefined }))).toBe("201");
    expect(outcome(await registerDevice(user, { type: "temporary" }))).toBe("201");
    expect(await idsOf(user)).toHaveLength(8);
    expect(outcome(await remove(user, idOf(seventh), { password }))).toBe("200");
    expect(outcome(await registerDevice(user, { password }))).toBe("201");
  });

  it("refuses a legal-hold device with 400 client-error", async () => {
    const user = await newUser();
    expect(outcome(await registerDevice(user, { type: "legalhold" }))).toBe("400 client-error");
  });

  it("cannot replace a legal-hold device", async () => {
    const user = await newUser();
    const device = newDevice();
    await putDevice(user, { clientId: idOf(device), type: "legalhold" });
    expect(outcome(await registerDevice(user, device))).toBe("400 client-error");
    expect((await list(user))[0].type).toBe("legalhold");
  });

  it("checks second factor, password, limit and keys, in this order", async () => {
    const { publicApi } = strict;
    const email = newEmail();
    const password = "a password";
    const { body: user, cookie } = await register({ email, password }, strict);
    const { body } = await publicApi("POST", "/access", { cookie });
    const add = async (fields: object) =>
      outcome(await registerDevice({ token: body.access_token }, { ...badKeys, ...fields }, { publicApi }));
    const badKeys = { lastkey: newPrekey(1), mls_public_keys: { ed25519: "AAAA" } };

    // Without a verified address there is nowhere to send a code to.
    expect(await add({})).toBe("400 bad-request");
    expect(await add(newDevice({ mls_public_keys: {} }))).toBe("201");
    expect(await add({})).toBe("403 missing-auth");
    expect(await add({ password })).toBe("403 too-many-clients");
    await activate({ email }, strict);
    await joinTeam(await newTeam({}, strict), user, strict);
    expect(await add({ password })).toBe("403 code-authentication-required");
    expect(await add({ verification_code: "123456" })).toBe("403 code-authentication-failed");
  });

  it("refuses malformed prekeys with 400 bad-request", async () => {
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
      expect([fields, outcome(await registerDevice(user, fields))]).toEqual([fields, "400 bad-request"]);
    }
    expect(await list(user)).toEqual([]);
    expect(outcome(await registerDevice(user, { prekeys: [] }))).toBe("201");
  });

  it("refuses malformed fields with 400 bad-request", async () => {
    const user = await newUser();
    const bad = [
      { type: "other" },
      { type: undefined },
      { class: "watch" },
      { label: 1 },
      { label: "x".repeat(1025) },
      { model: 1 },
      { cookie: "x".repeat(257) },
      { capabilities: ["other"] },
      { capabilities: { capabilities: [] } },
      { verification_code: 123456 },
      { mls_public_keys: [] },
    ];
    for (const fields of bad) {
      expect([fields, outcome(await registerDevice(user, fields))]).toEqual([fields, "400 bad-request"]);
    }
  });

  it("replaces the device with the same last-resort key, without a password", async () => {
    const user = await newUser();
    const device = newDevice({
      label: "before",
      model: "M1",
      capabilities: [consent],
      prekeys: newPrekeys(5),
    });
    const first = await registerDevice(user, device);
    const again = {
      ...device,
      label: "after",
      model: undefined,
      capabilities: [],
      prekeys: newPrekeys(2, 10),
    };
    const second = await registerDevice(user, again);

    expect(second.status).toBe(201);
    expect(second.body).toEqual({
      id: first.body.id,
      type: "permanent",
      time: isoTime,
      label: "after",
      capabilities: [],
      mls_public_keys: {},
    });
    expect(await list(user)).toEqual([second.body]);
    expect(await prekeyIds(user, idOf(device))).toEqual([10, 11, 65_535]);
  });

  it("requires the password to change the type of a registered device", async () => {
    const user = await newUser();
    const device = newDevice();
    await registerDevice(user, device);
    const temporary = { ...device, type: "temporary" };
    expect(outcome(await registerDevice(user, temporary))).toBe("403 missing-auth");
    expect(outcome(await registerDevice(user, { ...temporary, password: user.password }))).toBe("201");
    expect(await list(user)).toMatchObject([{ id: idOf(device), type: "temporary" }]);
  });

  it("returns 404 not-found for an unknown user", async () => {
    expect(outcome(await registerDevice(await newReader()))).toBe("404 not-found");
  });
});

describe.concurrent("a temporary device", () => {
  it("replaces the previous one, with its cookies, prekeys and queue", async () => {
    const user = await newUser();
    const { cookie: ofFirst } = await logIn(user, { label: "first" });
    const { cookie: ofOther } = await logIn(user, { label: "other" });
    const permanent = await registerDevice(user, { cookie: "other" });
    const first = newDevice({ type: "temporary", cookie: "first", capabilities: [consumable] });
    await registerDevice(user, first);
    expect(await events.sockets.getQueue(user.id, idOf(first))).toBeDefined();
    expect(await renewalOutcome(ofFirst)).toBe("200");

    const second = await registerDevice(user, {
      type: "temporary",
      cookie: "second",
      password: user.password,
    });
    expect(second.status).toBe(201);
    expect(await list(user)).toEqual([permanent.body, second.body]);
    expect(await renewalOutcome(ofFirst)).toBe("403 invalid-credentials");
    expect([await renewalOutcome(ofOther), await renewalOutcome(user.cookie)]).toEqual(["200", "200"]);
    expect(await prekeyIds(user, idOf(first))).toEqual([]);
    expect(await events.sockets.getQueue(user.id, idOf(first))).toBeUndefined();

    const [, , removed, added] = await deviceEvents(user, 4);
    expect(removed).toEqual({ type: "user.client-remove", client: { id: idOf(first) } });
    expect(added).toMatchObject({ type: "user.client-add", client: { id: second.body.id } });
  });

  it("is removed without a password", async () => {
    const user = await newUser();
    const { body } = await registerDevice(user, { type: "temporary" });
    expect(outcome(await remove(user, body.id))).toBe("200");
    expect(await list(user)).toEqual([]);
  });
});

describe.concurrent("a user's devices", () => {
  it("are listed from oldest to newest", async () => {
    const user = await newUser();
    const added: string[] = [];
    for (let count = 0; count < 4; count++) {
      added.push((await registerDevice(user, { password: user.password })).body.id);
    }
    expect(await idsOf(user)).toEqual(added);
  });

  it("cannot be read or changed by other users", async () => {
    const [owner, other] = [await newUser(), await newUser()];
    const { id } = (await registerDevice(owner, { capabilities: [consent] })).body;
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

  it("show when they were last active, without milliseconds", async () => {
    const user = await newUser();
    const { id } = (await registerDevice(user)).body;
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

  it.each(Object.entries(shapes))("are shown under %s in the form of that version", async (prefix, shape) => {
    const user = await newUser();
    const { token } = user;
    const added = await registerDevice(user, { capabilities: both }, { prefix });
    const { id } = added.body;
    expect(added.body.capabilities).toEqual(shape);
    expect((await list(user, prefix))[0].capabilities).toEqual(shape);
    expect((await api("GET", `${prefix}/clients/${id}`, { token })).body.capabilities).toEqual(shape);
    expect((await api("GET", `${prefix}/clients/${id}/capabilities`, { token })).body).toEqual(shape);
    expect((await list(user))[0].capabilities).toEqual(both);
  });

  it("can be added but not removed", async () => {
    const user = await newUser();
    const { id } = (await registerDevice(user, { capabilities: [consent, consent] })).body;
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

  it("create a queue for consumable-notifications, at registration or later", async () => {
    const user = await newUser();
    const { token, password } = user;
    const { id: one } = (await registerDevice(user, { capabilities: [consumable] })).body;
    const { id: other } = (await registerDevice(user, { password })).body;
    expect(await events.sockets.getQueue(user.id, one)).toMatchObject({ acknowledgedUpTo: 0 });
    expect(await events.sockets.getQueue(user.id, other)).toBeUndefined();
    await update(user, other, { capabilities: [consumable] });
    await update(user, other, { capabilities: [consumable] });
    expect(await events.sockets.getQueue(user.id, other)).toBeDefined();

    const socket = await openSocket("/v8/events", { token, query: { client: one } });
    const [frame] = await socket.first(1);
    expect(frame.data.event.payload).toMatchObject([{ type: "user.client-add", client: { id: one } }]);
  });

  it("start with an empty queue when the device is removed and registered again", async () => {
    const user = await newUser();
    const { token, password } = user;
    const device = newDevice({ capabilities: [consumable] });
    await registerDevice(user, device);
    const id = idOf(device);
    await deviceEvents(user, 1);
    expect(outcome(await remove(user, id, { password }))).toBe("200");
    await registerDevice(user, { ...device, label: "again" });
    const socket = await openSocket("/v8/events", { token, query: { client: id } });
    const labelIn = (frame: { data: { event: { payload: [{ client: { label?: string } }] } } }) =>
      frame.data.event.payload[0].client.label;
    await socket.next((frame) => labelIn(frame) === "again");
    const added = socket.frames.filter(({ data }) => data.event.payload[0].type === "user.client-add");
    expect(added.map(labelIn)).toEqual(["again"]);
  });

  it("remove the queue when a new registration omits them", async () => {
    const user = await newUser();
    const device = newDevice({ capabilities: [consumable] });
    await registerDevice(user, device);
    await registerDevice(user, { ...device, capabilities: [] });
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
    const { id } = (await registerDevice(user, { mls_public_keys: { ed25519 } })).body;
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

  it("are refused with 400 bad-request when they are malformed or of an unknown scheme", async () => {
    const user = await newUser();
    const { id } = (await registerDevice(user)).body;
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
        await registerDevice(user, { mls_public_keys, password: user.password }),
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

describe.concurrent("updating a device", () => {
  it("changes only the fields that it names, without an event", async () => {
    const user = await newUser();
    const { body } = await registerDevice(user, { label: "before", model: "M1" });
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

  it("adds prekeys to the remaining ones", async () => {
    const user = await newUser();
    const { id } = (await registerDevice(user, { prekeys: newPrekeys(2) })).body;
    expect(outcome(await update(user, id, { prekeys: newPrekeys(3, 1) }))).toBe("200");
    expect(await prekeyIds(user, id)).toEqual([0, 1, 2, 3, 65_535]);
    expect(outcome(await update(user, id, { lastkey: lastPrekey() }))).toBe("200");
    expect(await idsOf(user)).toEqual([id]);
    expect(await prekeyIds(user, id)).toEqual([0, 1, 2, 3, 65_535]);
  });

  it("refuses malformed prekeys with 400 bad-request and changes nothing", async () => {
    const user = await newUser();
    const { id } = (await registerDevice(user, { prekeys: [] })).body;
    const { key } = newPrekey(1);
    for (const bad of [{ prekeys: [{ id: 2, key }] }, { lastkey: newPrekey(1) }, { prekeys: [{ id: 1 }] }]) {
      expect(outcome(await update(user, id, { label: "x", ...bad }))).toBe("400 bad-request");
    }
    expect((await list(user))[0].label).toBeUndefined();
    expect(await prekeyIds(user, id)).toEqual([65_535]);
  });

  it("returns 400 for more prekeys than a device may have, as does a registration", async () => {
    const user = await newUser();
    // They are kept in 16 parts by id, so one part is full before the whole is.
    const prekeys = Array.from({ length: 126 }, (_, index) => newPrekey(16 * index));
    const refused = await registerDevice(user, { prekeys });
    expect([outcome(refused), refused.body.message]).toEqual([
      "400 bad-request",
      "A device can have about 2000 prekeys",
    ]);
    const { id } = (await registerDevice(user, { prekeys: prekeys.slice(0, 125) })).body;
    expect(outcome(await update(user, id, { prekeys: prekeys.slice(125) }))).toBe("400 bad-request");
    expect(await prekeyIds(user, id)).toHaveLength(126);
  });
});

describe.concurrent("removing a device", () => {
  it("requires the password, and removes its prekeys, queue and cookies", async () => {
    const user = await newUser();
    const { password } = user;
    const { cookie } = await logIn(user, { label: "desk" });
    const { id } = (await registerDevice(user, { cookie: "desk", capabilities: [consumable] })).body;
    expect(outcome(await remove(user, id))).toBe("403 missing-auth");
    expect(outcome(await remove(user, id, { password: "a wrong password" }))).toBe("403 invalid-credentials");
    expect(outcome(await remove(user, id, { password: "short" }))).toBe("403 invalid-credentials");
    expect(await renewalOutcome(cookie)).toBe("200");

    expect(await remove(user, id, { password })).toMatchObject({ status: 200, body: "" });
    expect(await list(user)).toEqual([]);
    expect(await prekeyIds(user, id)).toEqual([]);
    expect(await events.sockets.getQueue(user.id, id)).toBeUndefined();
    expect(await renewalOutcome(cookie)).toBe("403 invalid-credentials");
    expect(await renewalOutcome(user.cookie)).toBe("200");
    expect(outcome(await remove(user, id, { password }))).toBe("404 client-not-found");
  });

  it("needs no password for users without one, and refuses any", async () => {
    const { body } = await api("POST", "/access", { cookie: (await register({})).cookie });
    const user = { token: body.access_token };
    const { id } = (await registerDevice(user)).body;
    expect(outcome(await remove(user, id, { password: "some password" }))).toBe("403 invalid-credentials");
    expect(outcome(await remove(user, id))).toBe("200");
  });

  it("refuses a legal-hold device with 400 client-error", async () => {
    const user = await newUser();
    await putDevice(user, { clientId: "1", type: "legalhold" });
    expect(outcome(await remove(user, "1", { password: user.password }))).toBe("400 client-error");
    expect(await list(user)).toHaveLength(1);
  });
});

describe.concurrent("device events", () => {
  it("reach all connections of the user but the one that made the change", async () => {
    const user = await newUser();
    const other = await withNewConnection(user);
    const [own, others] = [await openSocket("/await", user), await openSocket("/await", other)];
    const fields = {
      class: "phone",
      label: "Pocket",
      model: "P1",
      cookie: "c",
      capabilities: [consent, consumable],
    };
    const mls_public_keys = { ed25519: randomBytes(32).toString("base64") };
    const { id, time } = (await registerDevice(user, { ...fields, mls_public_keys })).body;
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

  it("do not reach other users", async () => {
    const [user, stranger] = [await newUser(), await newUser()];
    const socket = await openSocket("/await", stranger);
    await registerDevice(user);
    await deviceEvents(user, 1);
    await registerDevice(stranger);
    expect(await deviceEvents(stranger, 1)).toHaveLength(1);
    expect(socket.frames).toEqual([]);
  });
});

describe.concurrent("the new-device mail", () => {
  it("is sent for a device that is added to others, and for no other change", async () => {
    const user = await registeredUser();
    const { email, password } = user;
    const first = newDevice();
    await registerDevice(user, first);
    await registerDevice(user, first);
    await registerDevice(user, { label: "New & <shiny>", model: "M2", password });
    const mail = await nextMessage(email, { count: 2 });
    expect(mail.headers["X-Svc-Purpose"]).toBe("NewDevice");
    expect(mail.text).toContain("New & <shiny>");
    expect(mail.text).toContain("M2");
    const purposes = (await messagesTo(email)).map(({ headers }) => headers["X-Svc-Purpose"]);
    expect(purposes.filter((purpose) => purpose === "NewDevice")).toHaveLength(1);
  });
});

describe.concurrent("concurrent requests", () => {
  it("register exactly seven of 20 permanent devices", async () => {
    const user = await newUser();
    const { password } = user;
    const answers = await concurrently(20, () => registerDevice(user, { password }));
    expect(outcomes(answers)).toEqual([...Array(7).fill("201"), ...Array(13).fill("403 too-many-clients")]);
    const added = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
    expect((await idsOf(user)).sort()).toEqual(added.sort());
    expect(await deviceEvents(user, 7)).toHaveLength(7);
  });

  it("register exactly one of 20 first devices without a password", async () => {
    const user = await newUser();
    const answers = await concurrently(20, () => registerDevice(user));
    expect(outcomes(answers)).toEqual(["201", ...Array(19).fill("403 missing-auth")]);
    expect(await list(user)).toHaveLength(1);
  });

  it("leave one of five temporary devices, with an event for each that was removed", async () => {
    const user = await newUser();
    const answers = await concurrently(5, () =>
      registerDevice(user, { type: "temporary", password: user.password }),
    );
    expect(outcomes(answers)).toEqual(Array(5).fill("201"));
    const left = await idsOf(user);
    expect(left).toHaveLength(1);
    const received = await deviceEvents(user, 9);
    const ids = (wanted: string) =>
      // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
      received.filter(({ type }: any) => type === wanted).map(({ client }: any) => client.id);
    const removed = ids("user.client-remove");
    expect(removed).toHaveLength(4);
    expect([...removed, ...left].sort()).toEqual(ids("user.client-add").sort());
  });

  it("register the same device once", async () => {
    const user = await newUser();
    const device = newDevice({ prekeys: newPrekeys(20) });
    const answers = await concurrently(10, (index) =>
      registerDevice(user, { ...device, label: `label ${index}` }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await idsOf(user)).toEqual([idOf(device)]);
    expect(await prekeyIds(user, idOf(device))).toHaveLength(21);
  });

  it("remove a device once, with one event", async () => {
    const user = await newUser();
    const { password } = user;
    const { id } = (await registerDevice(user)).body;
    const answers = await concurrently(20, () => remove(user, id, { password }));
    expect(outcomes(answers)).toEqual(["200", ...Array(19).fill("404 client-not-found")]);
    expect(await deviceEvents(user, 2)).toHaveLength(2);
  });

  it("set exactly one of 20 keys for one scheme", async () => {
    const user = await newUser();
    const { id } = (await registerDevice(user)).body;
    const keys = Array.from({ length: 20 }, () => randomBytes(32).toString("base64"));
    const answers = await concurrently(20, (index) =>
      update(user, id, { mls_public_keys: { ed25519: keys[index] } }),
    );
    expect(outcomes(answers)).toEqual(["200", ...Array(19).fill("400 mls-duplicate-public-key")]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await list(user))[0].mls_public_keys).toEqual({ ed25519: keys[winner] });
  });

  it("leave no prekeys behind when uploads meet a removal", async () => {
    const user = await newUser();
    const { id } = (await registerDevice(user, { type: "temporary" })).body;
    const uploads = concurrently(10, (index) => update(user, id, { prekeys: newPrekeys(10, 100 * index) }));
    const removal = remove(user, id);
    await Promise.all([uploads, removal]);
    const others = outcomes(await uploads).filter((one) => one !== "200" && one !== "404 client-not-found");
    expect(others).toEqual([]);
    expect(outcome(await removal)).toBe("200");
    expect(await prekeyIds(user, id)).toEqual([]);
  });
});

describe.concurrent("DELETE /i/users/{uid}/clients/{client}", () => {
  const removeOf = ({ id }: Pick<User, "id">, device: string) =>
    internalApi("DELETE", `/i/users/${id}/clients/${device}`);

  it("removes a device without the password, with its prekeys, and tells the others", async () => {
    const user = await newUser();
    const { password } = user;
    const lost = (await registerDevice(user)).body.id;
    const kept = (await registerDevice(user, { password })).body.id;
    expect(outcome(await removeOf(user, lost))).toBe("200");
    expect(await idsOf(user)).toEqual([kept]);
    expect(await prekeyIds(user, lost)).toEqual([]);
    expect((await deviceEvents(user, 3)).at(-1)).toMatchObject({
      type: "user.client-remove",
      client: { id: lost },
    });
    expect(outcome(await removeOf(user, lost))).toBe("404 client-not-found");
  });

  it("is refused for a legal hold device, and for a device of somebody else", async () => {
    const [user, other] = [await newUser(), await newUser()];
    await putDevice(user, { clientId: "1d1", type: "legalhold" });
    expect(outcome(await removeOf(user, "1d1"))).toBe("400 client-error");
    const { id } = (await registerDevice(other)).body;
    expect(outcome(await removeOf(user, id))).toBe("404 client-not-found");
    expect(await idsOf(other)).toEqual([id]);
  });
});
