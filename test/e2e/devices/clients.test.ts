import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import {
  deviceEvents,
  deviceIdsOf,
  idOf,
  listDevices,
  newDevice,
  prekeyIds,
  putDevice,
  registerDevice,
  removeDevice,
  updateDevice,
} from "../../support/devices.ts";
import { eventSource, newReader } from "../../support/events.ts";
import { lastPrekey, newPrekey, newPrekeys } from "../../support/prekeys.ts";
import { logIn, newUser, register, type User } from "../../support/users.ts";

const events = eventSource();

const consumable = "consumable-notifications";
const consent = "legalhold-implicit-consent";
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const renewalOutcome = async (cookie: string | undefined) =>
  outcome(await api("POST", "/access", { cookie }));

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
    expect(await listDevices(user)).toEqual([body]);
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
    expect(await deviceIdsOf(user)).toHaveLength(8);
    expect(outcome(await removeDevice(user, idOf(seventh), { password }))).toBe("200");
    expect(outcome(await registerDevice(user, { password }))).toBe("201");
  });

  it("refuses to register or to replace a legal-hold device, with 400 client-error", async () => {
    const user = await newUser();
    expect(outcome(await registerDevice(user, { type: "legalhold" }))).toBe("400 client-error");
    const device = newDevice();
    await putDevice(user, { clientId: idOf(device), type: "legalhold" });
    expect(outcome(await registerDevice(user, device))).toBe("400 client-error");
    expect((await listDevices(user))[0].type).toBe("legalhold");
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
    expect(await listDevices(user)).toEqual([second.body]);
    expect(await prekeyIds(user, idOf(device))).toEqual([10, 11, 65_535]);
  });

  it("requires the password to change the type of a registered device", async () => {
    const user = await newUser();
    const device = newDevice();
    await registerDevice(user, device);
    const temporary = { ...device, type: "temporary" };
    expect(outcome(await registerDevice(user, temporary))).toBe("403 missing-auth");
    expect(outcome(await registerDevice(user, { ...temporary, password: user.password }))).toBe("201");
    expect(await listDevices(user)).toMatchObject([{ id: idOf(device), type: "temporary" }]);
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
    expect(await listDevices(user)).toEqual([permanent.body, second.body]);
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
    expect(outcome(await removeDevice(user, body.id))).toBe("200");
    expect(await listDevices(user)).toEqual([]);
  });
});

describe.concurrent("a user's devices", () => {
  it("are listed from oldest to newest", async () => {
    const user = await newUser();
    const added: string[] = [];
    for (let count = 0; count < 4; count++) {
      added.push((await registerDevice(user, { password: user.password })).body.id);
    }
    expect(await deviceIdsOf(user)).toEqual(added);
  });

  it("cannot be read or changed by other users", async () => {
    const [owner, other] = [await newUser(), await newUser()];
    const { id } = (await registerDevice(owner, { capabilities: [consent] })).body;
    const { token } = other;
    expect(await listDevices(other)).toEqual([]);
    expect(await api("GET", `/v8/clients/${id}`, { token })).toMatchObject({ status: 404, body: "" });
    expect(outcome(await api("GET", `/v8/clients/${id}/capabilities`, { token }))).toBe(
      "404 client-not-found",
    );
    expect(await prekeyIds(other, id)).toEqual([]);
    expect(outcome(await updateDevice(other, id, { label: "mine" }))).toBe("404 client-not-found");
    expect(outcome(await updateDevice(other, id, { prekeys: newPrekeys(1) }))).toBe("404 client-not-found");
    expect(outcome(await removeDevice(other, id, { password: other.password }))).toBe("404 client-not-found");
    expect(await listDevices(owner)).toHaveLength(1);
  });

  it.each(["no-such-device", "constructor"])("do not include %s", async (id) => {
    const { token } = await newUser();
    for (const prefix of ["/v6", "/v8"]) {
      expect(await api("GET", `${prefix}/clients/${id}`, { token })).toMatchObject({
        status: 404,
        body: "",
      });
      expect(outcome(await api("GET", `${prefix}/clients/${id}/capabilities`, { token }))).toBe(
        "404 client-not-found",
      );
    }
    expect(outcome(await updateDevice({ token }, id, {}))).toBe("404 client-not-found");
    expect(outcome(await removeDevice({ token }, id))).toBe("404 client-not-found");
  });
});

describe.concurrent("updating a device", () => {
  it("changes only the fields that it names, without an event", async () => {
    const user = await newUser();
    const { body } = await registerDevice(user, { label: "before", model: "M1" });
    expect(await updateDevice(user, body.id, {})).toMatchObject({ status: 200, body: "" });
    expect(await listDevices(user)).toEqual([body]);
    await updateDevice(user, body.id, { label: "after" });
    expect(await listDevices(user)).toEqual([{ ...body, label: "after" }]);
    await updateDevice(user, body.id, { label: "" });
    expect(await listDevices(user)).toEqual([{ ...body, label: "" }]);
    await removeDevice(user, body.id, { password: user.password });
    expect((await deviceEvents(user, 2)).map(({ type }: { type: string }) => type)).toEqual([
      "user.client-add",
      "user.client-remove",
    ]);
  });

  it("adds prekeys to the remaining ones", async () => {
    const user = await newUser();
    const { id } = (await registerDevice(user, { prekeys: newPrekeys(2) })).body;
    expect(outcome(await updateDevice(user, id, { prekeys: newPrekeys(3, 1) }))).toBe("200");
    expect(await prekeyIds(user, id)).toEqual([0, 1, 2, 3, 65_535]);
    expect(outcome(await updateDevice(user, id, { lastkey: lastPrekey() }))).toBe("200");
    expect(await deviceIdsOf(user)).toEqual([id]);
    expect(await prekeyIds(user, id)).toEqual([0, 1, 2, 3, 65_535]);
  });

  it("refuses malformed prekeys with 400 bad-request and changes nothing", async () => {
    const user = await newUser();
    const { id } = (await registerDevice(user, { prekeys: [] })).body;
    const { key } = newPrekey(1);
    for (const bad of [{ prekeys: [{ id: 2, key }] }, { lastkey: newPrekey(1) }]) {
      expect(outcome(await updateDevice(user, id, { label: "x", ...bad }))).toBe("400 bad-request");
    }
    expect((await listDevices(user))[0].label).toBeUndefined();
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
    expect(outcome(await updateDevice(user, id, { prekeys: prekeys.slice(125) }))).toBe("400 bad-request");
    expect(await prekeyIds(user, id)).toHaveLength(126);
  });
});

describe.concurrent("removing a device", () => {
  it("requires the password, and removes its prekeys, queue and cookies", async () => {
    const user = await newUser();
    const { password } = user;
    const { cookie } = await logIn(user, { label: "desk" });
    const { id } = (await registerDevice(user, { cookie: "desk", capabilities: [consumable] })).body;
    expect(outcome(await removeDevice(user, id))).toBe("403 missing-auth");
    expect(outcome(await removeDevice(user, id, { password: "a wrong password" }))).toBe(
      "403 invalid-credentials",
    );
    expect(outcome(await removeDevice(user, id, { password: "short" }))).toBe("403 invalid-credentials");
    expect(await renewalOutcome(cookie)).toBe("200");

    expect(await removeDevice(user, id, { password })).toMatchObject({ status: 200, body: "" });
    expect(await listDevices(user)).toEqual([]);
    expect(await prekeyIds(user, id)).toEqual([]);
    expect(await events.sockets.getQueue(user.id, id)).toBeUndefined();
    expect(await renewalOutcome(cookie)).toBe("403 invalid-credentials");
    expect(await renewalOutcome(user.cookie)).toBe("200");
    expect(outcome(await removeDevice(user, id, { password }))).toBe("404 client-not-found");
  });

  it("needs no password for users without one, and refuses any", async () => {
    const { body } = await api("POST", "/access", { cookie: (await register({})).cookie });
    const user = { token: body.access_token };
    const { id } = (await registerDevice(user)).body;
    expect(outcome(await removeDevice(user, id, { password: "some password" }))).toBe(
      "403 invalid-credentials",
    );
    expect(outcome(await removeDevice(user, id))).toBe("200");
  });

  it("refuses a legal-hold device with 400 client-error", async () => {
    const user = await newUser();
    await putDevice(user, { clientId: "1", type: "legalhold" });
    expect(outcome(await removeDevice(user, "1", { password: user.password }))).toBe("400 client-error");
    expect(await listDevices(user)).toHaveLength(1);
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
    expect(await deviceIdsOf(user)).toEqual([kept]);
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
    expect(await deviceIdsOf(other)).toEqual([id]);
  });
});
