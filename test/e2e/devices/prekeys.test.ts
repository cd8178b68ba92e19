import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Prekey } from "#shared/devices/prekey.ts";
import { lastPrekeyId } from "#shared/devices/prekey.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { api, outcome } from "../../support/api.ts";
import { registerDevice } from "../../support/devices.ts";
import { lastPrekey, newPrekeys } from "../../support/prekeys.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser, type User } from "../../support/users.ts";

const { domain } = parseSettings({});

interface TestDevice {
  readonly id: string;
  readonly prekeys: Prekey[];
  readonly lastkey: Prekey;
}

async function newDevice(user: User, prekeyCount = 3, deviceClass?: string): Promise<TestDevice> {
  const device = { prekeys: newPrekeys(prekeyCount), lastkey: lastPrekey() };
  const fields = { ...device, class: deviceClass, password: user.password };
  const { body } = await registerDevice(user, fields);
  return { ...device, id: body.id };
}

/** A user who claims prekeys, and another one with two devices. */
async function newPair() {
  const [asking, owner] = await Promise.all([newUser(), newUser()]);
  const phone = await newDevice(owner, 3, "phone");
  const other = await newDevice(owner, 3);
  return { asking, owner, phone, other };
}

const idsLeft = async ({ token }: User, { id }: TestDevice) =>
  (await api("GET", `/v8/clients/${id}/prekeys`, { token })).body;

describe.concurrent("other users' devices", () => {
  it("are listed with their id and class, and nothing else", async () => {
    const { asking, owner, phone, other } = await newPair();
    const views = [{ id: phone.id, class: "phone" }, { id: other.id }];
    const { token } = asking;

    for (const path of [
      `/v8/users/${domain}/${owner.id}/clients`,
      `/v8/users/${domain.toUpperCase()}/${owner.id.toUpperCase()}/clients`,
      `/users/${domain}/${owner.id}/clients`,
      `/v1/users/${owner.id}/clients`,
      `/users/${owner.id}/clients`,
    ]) {
      const { status, body } = await api("GET", path, { token });
      expect({ status, body }).toEqual({ status: 200, body: expect.arrayContaining(views) });
      expect(body).toHaveLength(2);
    }
  });

  it("are an empty list for an unknown user or one without devices", async () => {
    const { token, id } = await newUser();
    for (const userId of [randomUUID(), id]) {
      const { status, body } = await api("GET", `/v8/users/${domain}/${userId}/clients`, { token });
      expect({ status, body }).toEqual({ status: 200, body: [] });
    }
  });

  it("are found one by one, with 404 and no body for an unknown one", async () => {
    const { asking, owner, phone } = await newPair();
    const { token } = asking;
    for (const user of [`/v8/users/${domain}/${owner.id}`, `/v1/users/${owner.id}`, `/users/${owner.id}`]) {
      const found = await api("GET", `${user}/clients/${phone.id}`, { token });
      expect(found).toMatchObject({ status: 200, body: { id: phone.id, class: "phone" } });
      for (const id of ["0", "__proto__", "constructor", "%00"]) {
        expect(await api("GET", `${user}/clients/${id}`, { token })).toMatchObject({ status: 404, body: "" });
      }
    }
    const path = `/v8/users/${domain}/${asking.id}/clients/${phone.id}`;
    expect(await api("GET", path, { token })).toMatchObject({ status: 404, body: "" });
  });

  it("require a domain in the path from version 2 on", async () => {
    const { token, id } = await newUser();
    for (const prefix of ["/v2", "/v8", "/v9"]) {
      for (const path of ["clients", "clients/0", "prekeys", "prekeys/0"]) {
        expect(outcome(await api("GET", `${prefix}/users/${id}/${path}`, { token }))).toBe("404 no-endpoint");
      }
    }
  });

  it("are listed for several users, each with an entry, except for users of other domains", async () => {
    const { asking, owner, phone, other } = await newPair();
    const { token } = asking;
    const unknown = randomUUID();
    const users = [
      { domain, id: owner.id },
      { domain: domain.toUpperCase(), id: owner.id.toUpperCase() },
      { domain, id: unknown },
      { domain, id: asking.id },
      { domain: "elsewhere.example.com", id: randomUUID() },
    ];
    const map = {
      [domain]: {
        [owner.id]: expect.arrayContaining([{ id: phone.id, class: "phone" }, { id: other.id }]),
        [unknown]: [],
        [asking.id]: [],
      },
    };
    for (const path of [
      "/v2/users/list-clients",
      "/v8/users/list-clients",
      "/users/list-clients/v2",
      "/v1/users/list-clients/v2",
    ]) {
      const { status, body } = await api("POST", path, { token, json: { qualified_users: users } });
      expect({ status, body }).toEqual({ status: 200, body: { qualified_user_map: map } });
    }
    for (const path of ["/users/list-clients", "/v0/users/list-clients", "/v1/users/list-clients"]) {
      const { status, body } = await api("POST", path, { token, json: users });
      expect({ status, body }).toEqual({ status: 200, body: map });
    }
    expect((await api("POST", "/v2/users/list-clients/v2", { token, json: {} })).status).toBe(404);
  });

  it("are an empty map when all users are of other domains", async () => {
    const { token } = await newUser();
    const json = { qualified_users: [{ domain: "elsewhere.example.com", id: randomUUID() }] };
    const { body } = await api("POST", "/v8/users/list-clients", { token, json });
    expect(body).toEqual({ qualified_user_map: {} });
  });

  it("are listed for 1 to 500 users", async () => {
    const { token } = await newUser();
    const list = async (count: number) => {
      const qualified_users = Array.from({ length: count }, () => ({ domain, id: randomUUID() }));
      return api("POST", "/v8/users/list-clients", { token, json: { qualified_users } });
    };
    expect(Object.keys((await list(500)).body.qualified_user_map[domain])).toHaveLength(500);
    for (const count of [0, 501]) expect(outcome(await list(count))).toBe("400 bad-request");
  });
});

describe.concurrent("a claim", () => {
  it("takes each prekey of a device once, then the last-resort one repeatedly", async () => {
    const { asking, owner, phone, other } = await newPair();
    const paths = [
      `/v8/users/${domain}/${owner.id}/prekeys/${phone.id}`,
      `/v1/users/${owner.id}/prekeys/${phone.id}`,
      `/users/${owner.id}/prekeys/${phone.id}`,
    ];
    const claimed: Prekey[] = [];
    for (const path of paths) {
      const { status, body } = await api("GET", path, asking);
      expect({ status, body }).toEqual({ status: 200, body: { client: phone.id, prekey: body.prekey } });
      claimed.push(body.prekey);
    }
    expect(claimed.toSorted((one, another) => one.id - another.id)).toEqual(phone.prekeys);
    for (const path of [...paths, ...paths]) {
      const { body } = await api("GET", path, asking);
      expect(body).toEqual({ client: phone.id, prekey: phone.lastkey });
    }
    expect(await idsLeft(owner, phone)).toEqual([lastPrekeyId]);
    expect(await idsLeft(owner, other)).toEqual([0, 1, 2, lastPrekeyId]);
  });

  it("returns 404 not-found for an unknown device or user", async () => {
    const { asking, owner, phone } = await newPair();
    for (const [userId, id] of [
      [owner.id, "c0ffee"],
      [asking.id, phone.id],
      [randomUUID(), phone.id],
      [owner.id, "__proto__"],
    ]) {
      const answer = await api("GET", `/v8/users/${domain}/${userId}/prekeys/${id}`, asking);
      expect(outcome(answer)).toBe("404 not-found");
    }
  });

  it("takes a prekey of each device when it names only the user", async () => {
    const { asking, owner, phone, other } = await newPair();
    for (const path of [
      `/v8/users/${domain}/${owner.id}/prekeys`,
      `/v1/users/${owner.id}/prekeys`,
      `/users/${owner.id}/prekeys`,
    ]) {
      const { status, body } = await api("GET", path, asking);
      expect({ status, user: body.user }).toEqual({ status: 200, user: owner.id });
      const clients: { client: string; prekey: Prekey }[] = body.clients;
      expect(clients.map(({ client }) => client).toSorted()).toEqual([phone.id, other.id].toSorted());
      for (const { client, prekey } of clients) {
        expect((client === phone.id ? phone : other).prekeys).toContainEqual(prekey);
      }
    }
    expect([await idsLeft(owner, phone), await idsLeft(owner, other)]).toEqual([
      [lastPrekeyId],
      [lastPrekeyId],
    ]);
  });

  it("takes nothing for a user without devices or an unknown user", async () => {
    const asking = await newUser();
    for (const userId of [asking.id, randomUUID()]) {
      const { body } = await api("GET", `/v8/users/${domain}/${userId}/prekeys`, asking);
      expect(body).toEqual({ user: userId, clients: [] });
    }
  });

  it("is refused with 405 on HEAD, and takes nothing", async () => {
    const { asking, owner, phone } = await newPair();
    const headers = { authorization: `Bearer ${asking.token}` };
    for (const path of ["prekeys", `prekeys/${phone.id}`]) {
      const target = `/v8/users/${domain}/${owner.id}/${path}`;
      expect((await rawRequest(sharedStack().publicUrl, "HEAD", target, { headers })).status).toBe(405);
    }
    expect(await idsLeft(owner, phone)).toEqual([0, 1, 2, lastPrekeyId]);
  });

  it("returns null for each named device without a prekey", async () => {
    const { asking, owner, phone, other } = await newPair();
    const { token } = asking;
    const unknown = randomUUID();
    const users = {
      [owner.id.toUpperCase()]: [phone.id, other.id, "c0ffee", phone.id],
      [unknown]: [phone.id],
      [asking.id]: [],
    };
    const anyOf = ({ prekeys }: TestDevice) =>
      expect.toSatisfy((prekey) => prekeys.some(({ key }) => key === prekey.key));
    const claimed = {
      [owner.id]: { [phone.id]: anyOf(phone), [other.id]: anyOf(other), c0ffee: null },
      [unknown]: { [phone.id]: null },
      [asking.id]: {},
    };
    const v8 = await api("POST", "/v8/users/list-prekeys", { token, json: { [domain]: users } });
    expect(v8.body).toEqual({ qualified_user_client_prekeys: { [domain]: claimed } });
    const v3 = await api("POST", "/v3/users/list-prekeys", {
      token,
      json: { [domain.toUpperCase()]: users },
    });
    expect(v3.body).toEqual({ [domain]: claimed });
    const v0 = await api("POST", "/users/prekeys", { token, json: users });
    expect(v0.body).toEqual(claimed);

    const given = [v8.body.qualified_user_client_prekeys[domain], v3.body[domain], v0.body];
    const ids = given.map((byUser) => byUser[owner.id][phone.id].id);
    expect(ids.toSorted()).toEqual([0, 1, 2]);
    expect((await api("POST", "/v2/users/prekeys", { token, json: users })).status).not.toBe(200);
  });

  it("takes nothing when it names nobody", async () => {
    const { token } = await newUser();
    const claim = async (path: string) => (await api("POST", path, { token, json: {} })).body;
    expect(await claim("/v4/users/list-prekeys")).toEqual({ qualified_user_client_prekeys: {} });
    expect(await claim("/v3/users/list-prekeys")).toEqual({});
    expect(await claim("/v1/users/prekeys")).toEqual({});
  });

  it("lists users of other domains as failed, and refuses them before version 4", async () => {
    const { asking, owner, phone } = await newPair();
    const { token } = asking;
    const remote = { domain: "elsewhere.example.com", id: randomUUID() };
    const json = { [domain]: { [owner.id]: [phone.id] }, [remote.domain]: { [remote.id]: ["c0ffee"] } };

    for (const path of ["/v0/users/list-prekeys", "/v3/users/list-prekeys", "/users/list-prekeys"]) {
      expect(outcome(await api("POST", path, { token, json }))).toBe("400 federation-not-enabled");
    }
    expect(await idsLeft(owner, phone)).toHaveLength(4);
    for (const version of [4, 8, 9]) {
      const { body } = await api("POST", `/v${version}/users/list-prekeys`, { token, json });
      expect(Object.keys(body.qualified_user_client_prekeys)).toEqual([domain]);
      expect(body.failed_to_list).toEqual([remote]);
    }
  });

  it("hands out every prekey once to 20 concurrent callers, and the last-resort one to the others", async () => {
    const [asking, owner] = await Promise.all([newUser(), newUser()]);
    const device = await newDevice(owner, 10);
    const { token } = asking;
    const one = async () =>
      (await api("GET", `/v8/users/${domain}/${owner.id}/prekeys/${device.id}`, { token })).body.prekey;
    const bundle = async () =>
      (await api("GET", `/v8/users/${domain}/${owner.id}/prekeys`, { token })).body.clients[0].prekey;
    const several = async () => {
      const json = { [domain]: { [owner.id]: [device.id] } };
      const { body } = await api("POST", "/v8/users/list-prekeys", { token, json });
      return body.qualified_user_client_prekeys[domain][owner.id][device.id];
    };
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) => [one, bundle, several][index % 3]?.()),
    );

    const isLast = ({ id }: Prekey) => id === lastPrekeyId;
    expect(claims.filter((prekey) => !isLast(prekey)).toSorted((a, b) => a.id - b.id)).toEqual(
      device.prekeys,
    );
    expect(claims.filter(isLast)).toEqual(Array(10).fill(device.lastkey));
  });

  it("finds nothing for a removed device", async () => {
    const { asking, owner, phone } = await newPair();
    const { token, password } = owner;
    await api("DELETE", `/v8/clients/${phone.id}`, { token, json: { password } });

    const answer = await api("GET", `/v8/users/${domain}/${owner.id}/prekeys/${phone.id}`, asking);
    expect(outcome(answer)).toBe("404 not-found");
    const { body } = await api("GET", `/v8/users/${domain}/${owner.id}/prekeys`, asking);
    expect(body.clients).toHaveLength(1);
  });

  it("is limited to as many users as a conversation can have, with as many devices as they can have", async () => {
    const stack = await stackWith({ maxConvSize: 2, setUserMaxPermClients: 3 });
    const { token } = await newUser({}, stack);
    const ids = (count: number) => Array.from({ length: count }, (_, index) => index.toString(16));
    const claim = async (path: string, json: unknown) =>
      outcome(await stack.publicApi("POST", path, { token, json }));
    const users = (...deviceCounts: number[]) =>
      Object.fromEntries(deviceCounts.map((count) => [randomUUID(), ids(count)]));
    const remote = { "elsewhere.example.com": users(1, 1) };

    for (const [version, wrap] of [
      [8, (local: object) => ({ [domain]: local })],
      [3, (local: object) => ({ [domain]: local })],
    ] as const) {
      const path = `/v${version}/users/list-prekeys`;
      expect(await claim(path, wrap(users(5, 5)))).toBe("200");
      expect(await claim(path, wrap(users(6, 5)))).toBe("403 too-many-clients");
      expect(await claim(path, wrap(users(0, 0, 0)))).toBe("403 too-many-clients");
    }
    expect(await claim("/v8/users/list-prekeys", remote)).toBe("200");
    expect(await claim("/v8/users/list-prekeys", { ...remote, [domain]: users(1) })).toBe(
      "403 too-many-clients",
    );
    expect(await claim("/users/prekeys", users(1, 1))).toBe("200");
    expect(await claim("/users/prekeys", users(1, 1, 1))).toBe("403 too-many-clients");
    // 500 users with 9 devices each still fit into a body.
    const many = users(...Array(500).fill(9));
    const longIds = Object.fromEntries(
      Object.entries(many).map(([userId, few]) => [userId, few.map((id) => id.padStart(16, "0"))]),
    );
    expect(await claim("/v8/users/list-prekeys", { [domain]: longIds })).toBe("403 too-many-clients");
  });
});

describe.concurrent("other users' devices and prekeys", () => {
  const userId = randomUUID();
  const reading = [
    "/v8/users/{domain}/{uid}/clients",
    "/v8/users/{domain}/{uid}/clients/0",
    "/v8/users/{domain}/{uid}/prekeys",
    "/v8/users/{domain}/{uid}/prekeys/0",
    "/v0/users/{uid}/clients",
    "/v0/users/{uid}/clients/0",
    "/v0/users/{uid}/prekeys",
    "/v0/users/{uid}/prekeys/0",
  ];
  const pathFor = (path: string, uid: string = userId, ofDomain = domain) =>
    path.replace("{domain}", ofDomain).replace("{uid}", uid);

  it("are refused with 400 bad-request for a malformed user id or a device id that is too long", async () => {
    const { token } = await newUser();
    for (const path of reading) {
      expect(outcome(await api("GET", pathFor(path, "nobody"), { token }))).toBe("400 bad-request");
    }
    const long = `/v8/users/${domain}/${userId}/clients/${"0".repeat(65)}`;
    expect(outcome(await api("GET", long, { token }))).toBe("400 bad-request");
  });

  it("are refused with 400 federation-not-enabled for other domains", async () => {
    const { token } = await newUser();
    for (const path of reading.filter((one) => one.includes("{domain}"))) {
      const answer = await api("GET", pathFor(path, userId, "elsewhere.example.com"), { token });
      expect(outcome(answer)).toBe("400 federation-not-enabled");
    }
  });

  it("treat a device id such as constructor as unknown", async () => {
    const { token } = await newUser();
    const headers = { "content-type": "application/json" };
    const body = `{"${domain}":{"${userId}":["__proto__","constructor"]},"__proto__":{}}`;
    const answer = await api("POST", "/v8/users/list-prekeys", { token, headers, body });
    expect(answer.body.qualified_user_client_prekeys[domain][userId]).toMatchObject({ constructor: null });
  });
});
