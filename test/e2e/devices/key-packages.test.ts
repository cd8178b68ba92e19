import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { KeyPackageStore } from "#shared/devices/key-package-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type Api, api, outcome } from "../../support/api.ts";
import { registerDevice } from "../../support/devices.ts";
import {
  claimPackages,
  countPackages,
  domain,
  type MlsDevice,
  makePackages,
  newMlsDevice,
  newMlsUser,
  newSigner,
  ownPackagesPath,
  referencesOf,
  replacePackages,
  requestClaim,
  requestCount,
  schemes,
  uploadPackages,
} from "../../support/key-packages.ts";
import { lastPrekey } from "../../support/prekeys.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser, type User } from "../../support/users.ts";

const remove = ({ token, ...device }: MlsDevice, suite: string, ...references: string[]) =>
  api("DELETE", `/v8${ownPackagesPath(device)}?ciphersuite=${suite}`, {
    token,
    json: { key_packages: references },
  });

const hex = (suite: number) => `0x${suite.toString(16).padStart(4, "0")}`;

describe.concurrent("an upload", () => {
  it("adds key packages, each once", async () => {
    const { device } = await newMlsUser();
    const packages = await makePackages(device, 3);
    const answer = await uploadPackages(device, ...packages);

    expect({ status: answer.status, body: answer.body }).toEqual({ status: 201, body: "" });
    expect(await countPackages(device)).toBe(3);
    await uploadPackages(device, await device.make(), ...packages, ...packages);
    expect(await countPackages(device)).toBe(4);
    expect((await uploadPackages(device)).status).toBe(201);
    expect(await countPackages(device)).toBe(4);
  });

  it("is refused beyond 500 packages of a suite, which leave room for those of others", async () => {
    const { user, device } = await newMlsUser();
    const pool = { userId: user.id, clientId: device.clientId, suite: 1 };
    const purgeAtSeconds = Math.floor(Date.now() / 1000) + 86_400;
    const made = Array.from({ length: 499 }, () => ({
      ...pool,
      reference: randomBytes(32).toString("base64url"),
      bytes: randomBytes(16),
      purgeAtSeconds,
    }));
    const context = { dynamo: createDynamo(), config: stackConfig("test"), clock: systemClock };
    const condition = new DeviceStore(context).require(pool.userId, pool.clientId);
    await new KeyPackageStore(context).add(made, condition);
    const refused = await uploadPackages(device, ...(await makePackages(device, 2)));
    expect(outcome(refused)).toBe("400 mls-protocol-error");
    expect(await countPackages(device)).toBe(499);
    expect((await uploadPackages(device, await device.make())).status).toBe(201);
    expect(outcome(await uploadPackages(device, await device.make()))).toBe("400 mls-protocol-error");
    expect((await uploadPackages(device, await device.make({ suite: 2 }))).status).toBe(201);
  });

  it("adds packages of each suite, which are counted and claimed apart", async () => {
    const { user, device } = await newMlsUser();
    const made = await Promise.all([...schemes.keys()].map((suite) => device.make({ suite })));
    expect((await uploadPackages(device, ...made)).status).toBe(201);

    const references = await referencesOf(made);
    for (const [index, suite] of [...schemes.keys()].entries()) {
      expect(await countPackages(device, hex(suite))).toBe(1);
      const [claimed] = await claimPackages(user.token, user.id, `ciphersuite=${hex(suite)}`);
      expect([claimed?.key_package, claimed?.key_package_ref]).toEqual([made[index], references[index]]);
    }
  });

  it("is refused as a whole when one package is invalid", async () => {
    const { device } = await newMlsUser();
    const packages = [...(await makePackages(device, 3)), await device.make({ packageSigner: newSigner() })];
    expect(outcome(await uploadPackages(device, ...packages))).toBe("400 mls-protocol-error");
    expect(await countPackages(device)).toBe(0);
  });

  it("requires a key that the device has registered for the signature scheme", async () => {
    const user = await newUser();
    const device = await newMlsDevice(user, { registered: ["ecdsa_secp256r1_sha256"] });
    expect(outcome(await uploadPackages(device, await device.make()))).toBe("400 mls-protocol-error");
    expect((await uploadPackages(device, await device.make({ suite: 0x0002 }))).status).toBe(201);

    const json = { mls_public_keys: { ed25519: device.signers.ed25519.raw.toString("base64") } };
    await api("PUT", `/v8/clients/${device.clientId}`, { token: user.token, json });
    expect((await uploadPackages(device, await device.make())).status).toBe(201);
  });

  it("is refused once the device is removed, and leaves nothing behind when both run concurrently", async () => {
    const user = await newUser();
    for (let round = 0; round < 3; round++) {
      const device = await newMlsDevice(user);
      const packages = await makePackages(device, 5);
      const json = { password: user.password };
      const [, ...uploads] = await Promise.all([
        api("DELETE", `/v8/clients/${device.clientId}`, { token: user.token, json }),
        ...packages.map((made) => uploadPackages(device, made)),
      ]);
      for (const { status } of uploads) expect([201, 403]).toContain(status);
      expect(outcome(await uploadPackages(device, ...packages))).toBe("403 mls-identity-mismatch");
      const pool = { userId: user.id, clientId: device.clientId, suite: 0x0001 };
      expect(await stores().keyPackages.count(pool)).toBe(0);
    }
  });
});

describe.concurrent("a device that is registered again", () => {
  it("has none of its former packages, even when their removal was interrupted", async () => {
    const { device, again, user, left } = await withLeftovers();
    expect(left).toBe(2);
    expect(outcome(await again())).toBe("201");
    expect(await countPackages(device)).toBe(0);
    expect(await claimPackages((await newUser()).token, user.id)).toEqual([]);
  });

  /** A user whose device was removed by a function that died before it removed the packages. */
  async function withLeftovers() {
    const user = await newUser();
    const lastkey = lastPrekey();
    const again = () => registerDevice(user, { lastkey });
    const device = await newMlsDevice(user, { lastkey });
    const packages = await makePackages(device, 2);
    await uploadPackages(device, ...packages);
    const { dynamo, devices, keyPackages } = stores();
    const current = await devices.get(user.id);
    await transact(dynamo, [devices.put(current, {})]);
    const left = await keyPackages.count({ userId: user.id, clientId: device.clientId, suite: 0x0001 });
    return { user, device, again, left };
  }
});

describe.concurrent("a replacement", () => {
  it("replaces the packages of the named suites, and nothing else", async () => {
    const { user, device } = await newMlsUser();
    await uploadPackages(
      device,
      ...(await makePackages(device, 3)),
      ...(await makePackages(device, 2, { suite: 0xf031 })),
    );
    await uploadPackages(device, ...(await makePackages(device, 2, { suite: 0x0002 })));
    const [one, post] = await Promise.all([device.make(), device.make({ suite: 0xf031 })]);
    const answer = await replacePackages(device, "0x0001,0xf031", one, post);

    expect({ status: answer.status, body: answer.body }).toEqual({ status: 201, body: "" });
    expect([
      await countPackages(device),
      await countPackages(device, "0xf031"),
      await countPackages(device, "0x0002"),
    ]).toEqual([1, 1, 2]);
    expect((await claimPackages(user.token, user.id)).map((entry) => entry.key_package)).toEqual([one]);
    expect(await claimPackages(user.token, user.id)).toEqual([]);
  });

  it("may include packages that were there before", async () => {
    const { device } = await newMlsUser();
    const packages = await makePackages(device, 4);
    await uploadPackages(device, ...packages);
    expect((await replacePackages(device, "1", ...packages.slice(2), await device.make())).status).toBe(201);
    expect(await countPackages(device)).toBe(3);
  });

  it("is refused, and changes nothing, unless its packages match the named suites", async () => {
    const { device } = await newMlsUser();
    await uploadPackages(device, await device.make());
    const [one, two] = await Promise.all([device.make(), device.make({ suite: 0x0002 })]);
    const attempts: [string, ...string[]][] = [
      ["0x0002", one],
      ["0x0001,0x0002", one],
      ["0x0001", one, two],
      ["0x0001"],
      ["0x0001,0x0003", one],
    ];
    for (const attempt of attempts) {
      expect({ attempt, outcome: outcome(await replacePackages(device, ...attempt)) }).toEqual({
        attempt,
        outcome: "400 mls-protocol-error",
      });
    }
    expect([await countPackages(device), await countPackages(device, "0x0002")]).toEqual([1, 0]);
  });

  it("is checked like an upload", async () => {
    const { device } = await newMlsUser();
    await uploadPackages(device, await device.make());
    const made = await device.make();
    expect(
      outcome(await replacePackages(device, "0x0001", made, await device.make({ leafSigner: newSigner() }))),
    ).toBe("400 mls-protocol-error");
    expect(await countPackages(device)).toBe(1);
  });

  it("never leaves the device without packages when 10 run concurrently", async () => {
    const { device } = await newMlsUser();
    await uploadPackages(device, await device.make());
    const packages = await makePackages(device, 10);
    const answers = await Promise.all(packages.map((made) => replacePackages(device, "0x0001", made)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect(await countPackages(device)).toBeGreaterThan(0);
    await replacePackages(device, "0x0001", await device.make());
    expect(await countPackages(device)).toBe(1);
  });
});

describe.concurrent("a device's packages", () => {
  it("belong to suite 1 in requests that name none, up to version 7", async () => {
    const { user, device } = await newMlsUser();
    const { token } = device;
    const packages = await makePackages(device, 2);
    await uploadPackages(device, ...packages, ...(await makePackages(device, 2, { suite: 0xf031 })));
    const path = `/v7${ownPackagesPath(device)}`;
    const counted = async () => (await api("GET", `${path}/count`, { token })).body.count;

    expect(await counted()).toBe(2);
    const json = { key_packages: (await referencesOf(packages)).slice(1) };
    expect((await api("DELETE", path, { token, json })).status).toBe(201);
    expect(await counted()).toBe(1);
    const [next] = await makePackages(device, 1);
    expect((await api("PUT", path, { token, json: { key_packages: [next] } })).status).toBe(201);
    const claimPath = `/v7/mls/key-packages/claim/${domain.toUpperCase()}/${user.id.toUpperCase()}`;
    const { body } = await api("POST", claimPath, { token: user.token });
    expect(body.key_packages).toMatchObject([{ user: user.id, domain, key_package: next }]);
    expect(await countPackages(device, "0xf031")).toBe(2);
  });

  it("are only the user's own: others get 403 mls-identity-mismatch, as does an unknown device", async () => {
    const [{ device }, stranger] = await Promise.all([newMlsUser(), newMlsUser()]);
    const made = await device.make();
    await uploadPackages(device, made);
    const [reference = ""] = await referencesOf([made]);
    for (const clientId of [device.clientId, "00c0ffee00c0ffee", "constructor", "%20"]) {
      const foreign = { ...stranger.device, clientId };
      const answers = [
        await uploadPackages(foreign, made),
        await uploadPackages(foreign),
        await replacePackages(foreign, "0x0001", made),
        await requestCount(foreign),
        await remove(foreign, "0x0001", reference),
      ];
      expect(answers.map(outcome)).toEqual(Array(5).fill("403 mls-identity-mismatch"));
    }
    expect(await countPackages(device)).toBe(1);
  });

  it("are of suites that are served: other suites get 400 mls-protocol-error", async () => {
    const { user, device } = await newMlsUser();
    const answers = [
      await requestCount(device, "0x0003"),
      await replacePackages(device, "99999"),
      await remove(device, "0x0003", "AAAA"),
      await requestClaim(user.token, user.id, "ciphersuite=3"),
      await api("POST", "/v8/mls/key-packages/claim?ciphersuite=3", { token: user.token }),
    ];
    expect(answers.map(outcome)).toEqual(Array(5).fill("400 mls-protocol-error"));
  });
});

describe.concurrent("a deletion", () => {
  it("deletes packages of the named suite by reference, and ignores unknown ones", async () => {
    const { user, device } = await newMlsUser();
    const packages = await makePackages(device, 3);
    const other = await device.make({ suite: 0x0005 });
    await uploadPackages(device, ...packages, other);
    const [first = "", second = ""] = await referencesOf(packages);
    const [otherReference = ""] = await referencesOf([other]);
    const unknown = [randomBytes(32), randomBytes(64), Buffer.alloc(0)].map((bytes) =>
      bytes.toString("base64"),
    );
    const answer = await remove(device, "0x0001", first, second, first, otherReference, ...unknown);

    expect({ status: answer.status, body: answer.body }).toEqual({ status: 201, body: "" });
    expect([await countPackages(device), await countPackages(device, "0x0005")]).toEqual([1, 1]);
    expect((await claimPackages(user.token, user.id)).map((entry) => entry.key_package)).toEqual(
      packages.slice(2),
    );
    expect((await remove(device, "0x0005", otherReference)).status).toBe(201);
    expect(await countPackages(device, "0x0005")).toBe(0);
  });
});

it("the public removal keys are the same for everybody, raw unless they are requested as JSON Web Keys", async () => {
  const [one, other] = await Promise.all([newUser(), newUser()]);
  const ask = ({ token }: User, query = "") => api("GET", `/v8/mls/public-keys${query}`, { token });
  const { status, body } = await ask(one);
  expect([status, (await ask(other, "?format=raw")).body]).toEqual([200, body]);
  expect(Buffer.from(body.removal.ed25519, "base64")).toHaveLength(32);
  const { removal } = (await ask(one, "?format=jwk")).body;
  expect(removal.ed25519).toMatchObject({ kty: "OKP", crv: "Ed25519" });
});

const operations = (clientId: string, userId: string): [string, string, object?][] => [
  ["POST", `/v8/mls/key-packages/self/${clientId}`, { key_packages: [] }],
  ["PUT", `/v8/mls/key-packages/self/${clientId}?ciphersuites=0x0001`, { key_packages: [] }],
  ["GET", `/v8/mls/key-packages/self/${clientId}/count?ciphersuite=0x0001`],
  ["DELETE", `/v8/mls/key-packages/self/${clientId}?ciphersuite=0x0001`, { key_packages: ["AAAA"] }],
  ["POST", `/v8/mls/key-packages/claim/${domain}/${userId}?ciphersuite=0x0001`],
  ["POST", "/v8/mls/key-packages/claim"],
  ["GET", "/v8/mls/public-keys"],
];

it("every operation on key packages returns 400 mls-not-enabled while MLS is disabled, and changes nothing", async () => {
  const enabled = await stackWith();
  const { publicApi, prefix } = enabled;
  const user = await newUser({}, enabled);
  const device = await newMlsDevice(user, { publicApi, prefix });
  const json = { key_packages: [await device.make()] };
  await publicApi("POST", `/v8${ownPackagesPath(device)}`, { token: user.token, json });
  const disabled = await stackWith({ setEnableMLS: false });
  const own = operations(device.clientId, user.id);
  for (const [method, path, body] of own) {
    const answer = await disabled.publicApi(method, path, { token: user.token, json: body });
    expect({ path, outcome: outcome(answer) }).toEqual({ path, outcome: "400 mls-not-enabled" });
  }
  expect(await countIn(publicApi, user, device)).toBe(1);

  enabled.advance(86_400 + 60);
  const login = await publicApi("POST", "/login", { json: { email: user.email, password: user.password } });
  const later = { ...user, token: login.body.access_token };
  expect(await countIn(publicApi, later, device)).toBe(0);
  const answer = await publicApi("POST", "/v8/mls/key-packages/claim", { token: later.token });
  expect(answer.body).toEqual({ key_packages: [] });
});

const countIn = async (publicApi: Api, { token }: Pick<User, "token">, device: MlsDevice) =>
  (await publicApi("GET", `/v8${ownPackagesPath(device)}/count?ciphersuite=0x0001`, { token })).body.count;

/** Stores of the stack that the tests share. */
function stores() {
  const dynamo = createDynamo();
  const config = { tableName: (name) => `test-${name}` } as Config;
  return {
    dynamo,
    devices: new DeviceStore({ dynamo, config, clock: systemClock }),
    keyPackages: new KeyPackageStore({ dynamo, config, clock: systemClock }),
  };
}
