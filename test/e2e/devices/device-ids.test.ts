import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { newDevice } from "../../support/devices.ts";
import { eventSource } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { domain, newMlsDevice } from "../../support/key-packages.ts";
import { lastPrekeyOfShortId } from "../../support/prekeys.ts";
import { openSocket } from "../../support/socket.ts";
import { partsOf } from "../../support/tokens.ts";
import { newUser } from "../../support/users.ts";

const events = eventSource();

/** A user with a device whose id has 15 digits, and other ways to write that id. */
async function newOwner(fields: Record<string, unknown> = {}) {
  const user = await newUser();
  const { lastkey, ...device } = newDevice(fields);
  const last = lastPrekeyOfShortId();
  const digits = createHash("sha256").update(last.key).digest("hex").slice(0, 16);
  const added = await api("POST", "/v8/clients", { token: user.token, json: { ...device, lastkey: last } });
  const id = digits.slice(1);
  const padded = `000${digits}`;
  const { id: userId, token, cookie, password } = user;
  return {
    ...{ userId, token, cookie, password, added, id, padded },
    spellings: [id, digits, digits.toUpperCase(), padded],
  };
}

describe.concurrent("the id of a device", () => {
  it("is shown without leading zeros, as a client would write a number", async () => {
    const { added, id, token, spellings } = await newOwner();
    expect(added.body.id).toBe(id);
    expect(added.headers.get("location")).toBe(id);
    for (const spelling of spellings) {
      const { body } = await api("GET", `/v8/clients/${spelling}`, { token });
      expect(body.id).toBe(id);
    }
  });

  it("is found in paths however it is padded", async () => {
    const { userId, token, password, id, padded, spellings } = await newOwner({
      capabilities: ["legalhold-implicit-consent"],
    });
    for (const [index, spelling] of spellings.entries()) {
      const path = `/v8/clients/${spelling}`;
      const json = { label: `Label ${index}` };
      expect(outcome(await api("PUT", path, { token, json }))).toBe("200");
      expect((await api("GET", `/v8/clients/${id}`, { token })).body.label).toBe(json.label);
      expect((await api("GET", `${path}/capabilities`, { token })).body).toEqual([
        "legalhold-implicit-consent",
      ]);
      expect((await api("GET", `${path}/prekeys`, { token })).body).toHaveLength(4);
      const view = await api("GET", `/v8/users/${domain}/${userId}/clients/${spelling}`, { token });
      expect(view.body).toEqual({ id });
    }
    const json = { password };
    expect(outcome(await api("DELETE", `/v8/clients/${padded}`, { token, json }))).toBe("200");
    expect((await api("GET", "/v8/clients", { token })).body).toEqual([]);
  });

  it("is found however it is padded when prekeys are claimed, each device once", async () => {
    const { userId, token, id, spellings } = await newOwner();
    for (const spelling of spellings) {
      const { body } = await api("GET", `/v8/users/${domain}/${userId}/prekeys/${spelling}`, { token });
      expect(body.client).toBe(id);
    }
    const json = { [domain]: { [userId]: spellings } };
    const { body } = await api("POST", "/v8/users/list-prekeys", { token, json });
    expect(body.qualified_user_client_prekeys[domain][userId]).toEqual({
      [id]: expect.objectContaining({ id: expect.any(Number) }),
    });
  });

  it("is written without leading zeros in events and tokens", async () => {
    const { token, cookie, id, padded, spellings } = await newOwner();
    for (const spelling of spellings) {
      const renewed = await api("POST", `/access?client_id=${spelling}`, { cookie });
      expect(outcome(renewed)).toBe("200");
      expect(partsOf(renewed.body.access_token).i).toBe(id);
    }
    await eventually(async () => {
      const { body } = await api("GET", `/notifications?client=${padded}`, { token });
      expect(JSON.stringify(body.notifications)).toContain(`"id":"${id}"`);
    });
    const { body } = await api("GET", `/v8/clients/${id}`, { token });
    expect(body.last_active).toBeDefined();
  });

  it("is found however it is padded on sockets, and by the internal API", async () => {
    const { userId, token, id, padded } = await newOwner();
    const path = `/i/users/${userId}/clients/${padded}/consumable-notifications`;
    expect(outcome(await internalApi("POST", path))).toBe("204");
    const socket = await openSocket("/v9/events", { token, query: { client: padded.toUpperCase() } });
    await events.publish({ number: 7, to: [{ userId, clientIds: [id] }] });
    await socket.next(({ type, data }) => type === "event" && data.event.payload[0].number === 7);
  });

  it("is found however it is padded in paths and credentials of MLS", async () => {
    const user = await newUser();
    const device = await newMlsDevice(user, { lastkey: lastPrekeyOfShortId() });
    const { token, clientId } = device;
    const padded = clientId.padStart(16, "0");
    const packages = await Promise.all(
      [clientId, padded, padded.toUpperCase()].map((spelling) =>
        device.make({ identity: `${user.id}:${spelling}@${domain}` }),
      ),
    );
    const path = `/v8/mls/key-packages/self/${padded}`;
    expect(outcome(await api("POST", path, { token, json: { key_packages: packages } }))).toBe("201");
    const { body } = await api("GET", `${path}/count?ciphersuite=0x0001`, { token });
    expect(body.count).toBe(3);

    const claim = `/v8/mls/key-packages/claim/${domain}/${user.id}?ciphersuite=0x0001`;
    const other = await newUser();
    const claimed = await api("POST", claim, { token: other.token });
    expect(claimed.body.key_packages).toMatchObject([{ client: clientId }]);
    const skipped = await api("POST", `${claim}&skip_own=${padded}`, { token: user.token });
    expect(skipped.body.key_packages).toEqual([]);
  });

  it("may be padded only if it is still the id of a device", async () => {
    const { token, id } = await newOwner();
    for (const unknown of [`1${id}`, `${id}0`, "0", "0".repeat(64), `g${id}`]) {
      expect(outcome(await api("GET", `/v8/clients/${unknown}`, { token }))).toBe("404");
    }
  });
});
