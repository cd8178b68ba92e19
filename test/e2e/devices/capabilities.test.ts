import { describe, expect, it } from "vitest";
import { type SignatureScheme, signatureScheme } from "#shared/devices/mls/cipher-suites.ts";
import { api, outcome } from "../../support/api.ts";
import {
  deviceEvents,
  idOf,
  listDevices,
  newDevice,
  registerDevice,
  removeDevice,
  updateDevice,
} from "../../support/devices.ts";
import { eventSource } from "../../support/events.ts";
import { newSigner } from "../../support/key-packages.ts";
import { openSocket } from "../../support/socket.ts";
import { newUser } from "../../support/users.ts";

const events = eventSource();

const consumable = "consumable-notifications";
const consent = "legalhold-implicit-consent";

describe.concurrent("capabilities", () => {
  const both = [consent, consumable];
  const shapes = {
    "/v6": { capabilities: [consent] },
    "/v7": [consent],
    "/v8": both,
  };

  it.each(Object.entries(shapes))("are shown under %s in the form of that version", async (prefix, shape) => {
    const user = await newUser();
    const { token } = user;
    const added = await registerDevice(user, { capabilities: both }, { prefix });
    const { id } = added.body;
    expect(added.body.capabilities).toEqual(shape);
    expect((await listDevices(user, prefix))[0].capabilities).toEqual(shape);
    expect((await api("GET", `${prefix}/clients/${id}`, { token })).body.capabilities).toEqual(shape);
    expect((await api("GET", `${prefix}/clients/${id}/capabilities`, { token })).body).toEqual(shape);
    expect((await listDevices(user))[0].capabilities).toEqual(both);
  });

  it("can be added but not removed", async () => {
    const user = await newUser();
    const { id } = (await registerDevice(user, { capabilities: [consent, consent] })).body;
    const capabilities = async () => (await listDevices(user))[0].capabilities;
    expect(await capabilities()).toEqual([consent]);
    for (const fewer of [[], [consumable]]) {
      const answer = await updateDevice(user, id, { capabilities: fewer });
      expect(outcome(answer)).toBe("409 client-capabilities-cannot-be-removed");
    }
    expect(outcome(await updateDevice(user, id, { capabilities: [consent] }))).toBe("200");
    expect(outcome(await updateDevice(user, id, { capabilities: both }))).toBe("200");
    expect(await capabilities()).toEqual(both);
  });

  it("create a queue for consumable-notifications, at registration or later", async () => {
    const user = await newUser();
    const { token, password } = user;
    const { id: one } = (await registerDevice(user, { capabilities: [consumable] })).body;
    const { id: other } = (await registerDevice(user, { password })).body;
    expect(await events.sockets.getQueue(user.id, one)).toMatchObject({ acknowledgedUpTo: 0 });
    expect(await events.sockets.getQueue(user.id, other)).toBeUndefined();
    await updateDevice(user, other, { capabilities: [consumable] });
    await updateDevice(user, other, { capabilities: [consumable] });
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
    expect(outcome(await removeDevice(user, id, { password }))).toBe("200");
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
  const newKey = (scheme: SignatureScheme) => newSigner(scheme).raw.toString("base64");

  it("can be set once for each scheme, at registration or later", async () => {
    const user = await newUser();
    const ed25519 = newKey("ed25519");
    const { id } = (await registerDevice(user, { mls_public_keys: { ed25519 } })).body;
    const added = Object.fromEntries(
      signatureScheme.options.slice(1).map((scheme) => [scheme, newKey(scheme)]),
    );
    expect(outcome(await updateDevice(user, id, { mls_public_keys: added }))).toBe("200");
    expect((await listDevices(user))[0].mls_public_keys).toEqual({ ed25519, ...added });

    const duplicate = "400 mls-duplicate-public-key";
    expect(outcome(await updateDevice(user, id, { mls_public_keys: { ed25519 } }))).toBe(duplicate);
    for (const scheme of signatureScheme.options) {
      const answer = await updateDevice(user, id, { mls_public_keys: { [scheme]: newKey(scheme) } });
      expect(outcome(answer)).toBe(duplicate);
    }
    expect(outcome(await updateDevice(user, id, { mls_public_keys: {} }))).toBe("200");
    expect((await listDevices(user))[0].mls_public_keys).toEqual({ ed25519, ...added });
  });
});
