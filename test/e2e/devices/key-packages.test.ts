import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { KeyPackageStore } from "#shared/devices/key-package-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type Api, api, internalApi, outcome } from "../../support/api.ts";
import { newCertificate } from "../../support/certificate.ts";
import { connectUsers } from "../../support/connections.ts";
import { registerDevice } from "../../support/devices.ts";
import {
  domain,
  type KeyPackageWish,
  type MlsDevice,
  newMlsDevice,
  newSigner,
  referenceOf,
  schemes,
} from "../../support/key-packages.ts";
import { lastPrekey } from "../../support/prekeys.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser, type User } from "../../support/users.ts";

const nowSeconds = () => Math.floor(Date.now() / 1000);
const longestLifetime = 7_776_000;

const pathOf = ({ clientId }: Pick<MlsDevice, "clientId">) => `/mls/key-packages/self/${clientId}`;
const upload = ({ token, ...device }: Pick<MlsDevice, "token" | "clientId">, ...packages: string[]) =>
  api("POST", `/v8${pathOf(device)}`, { token, json: { key_packages: packages } });
const replace = ({ token, ...device }: MlsDevice, suites: string, ...packages: string[]) =>
  api("PUT", `/v8${pathOf(device)}?ciphersuites=${suites}`, { token, json: { key_packages: packages } });
const remove = ({ token, ...device }: MlsDevice, suite: string, ...references: string[]) =>
  api("DELETE", `/v8${pathOf(device)}?ciphersuite=${suite}`, { token, json: { key_packages: references } });
const requestCount = ({ token, ...device }: Pick<MlsDevice, "token" | "clientId">, suite = "0x0001") =>
  api("GET", `/v8${pathOf(device)}/count?ciphersuite=${suite}`, { token });
const count = async (device: MlsDevice, suite?: string): Promise<number> =>
  (await requestCount(device, suite)).body.count;
const requestClaim = (token: string, userId: string, query = "ciphersuite=0x0001", own = domain) =>
  api("POST", `/v8/mls/key-packages/claim/${own}/${userId}?${query}`, { token });

interface Entry {
  user: string;
  domain: string;
  client: string;
  key_package_ref: string;
  key_package: string;
}
const claim = async (...request: Parameters<typeof requestClaim>): Promise<Entry[]> =>
  (await requestClaim(...request)).body.key_packages;

/** Several packages of a device. */
const makeSeveral = (device: MlsDevice, number: number, wish?: Partial<KeyPackageWish>): Promise<string[]> =>
  Promise.all(Array.from({ length: number }, () => device.make(wish)));
const referencesOf = (packages: readonly string[]): Promise<string[]> =>
  Promise.all(
    packages.map(async (text) => (await referenceOf(Buffer.from(text, "base64"))).toString("base64")),
  );
const newOwner = async () => {
  const user = await newUser();
  return { user, device: await newMlsDevice(user) };
};
const hex = (suite: number) => `0x${suite.toString(16).padStart(4, "0")}`;
const concurrently = <Result>(times: number, task: () => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: times }, task));

describe.concurrent("an upload", () => {
  it("adds key packages, each once", async () => {
    const { device } = await newOwner();
    const packages = await makeSeveral(device, 3);
    const answer = await upload(device, ...packages);

    expect({ status: answer.status, body: answer.body }).toEqual({ status: 201, body: "" });
    expect(await count(device)).toBe(3);
    await upload(device, await device.make(), ...packages, ...packages);
    expect(await count(device)).toBe(4);
    expect((await upload(device)).status).toBe(201);
    expect(await count(device)).toBe(4);
  });

  it.each([...schemes.keys()])("accepts packages of suite %i", async (suite) => {
    const { user, device } = await newOwner();
    const made = await device.make({ suite });
    expect((await upload(device, made)).status).toBe(201);

    for (const other of schemes.keys()) expect(await count(device, hex(other))).toBe(other === suite ? 1 : 0);
    const [claimed] = await claim(user.token, user.id, `ciphersuite=${hex(suite)}`);
    expect(claimed?.key_package).toBe(made);
    expect([claimed?.key_package_ref]).toEqual(await referencesOf([made]));
  });

  it("accepts 100 packages in one request, and refuses more", async () => {
    const { device } = await newOwner();
    const packages = await makeSeveral(device, 101);
    expect(outcome(await upload(device, ...packages))).toBe("400 bad-request");
    expect(await count(device)).toBe(0);
    expect((await upload(device, ...packages.slice(1))).status).toBe(201);
    expect(await count(device)).toBe(100);
  });

  it("accepts packages of several suites, and those with a certificate", async () => {
    const { user, device } = await newOwner();
    const { signers } = device;
    const certificate = (uri: string, key = signers.ed25519.publicKey) => ({
      credential: {
        credentialType: "x509" as const,
        certificates: [newCertificate(key, newSigner().privateKey, { uris: [uri] }), randomBytes(500)],
      },
    });
    const shortId = Buffer.from(user.id.replaceAll("-", ""), "hex").toString("base64url");
    const short = `app://${shortId}!${device.clientId}@${domain}`;
    const valid = await Promise.all([
      device.make(certificate(`app://${device.identity}`)),
      device.make(certificate(short)),
      device.make({ suite: 0x0002, ...certificate(short, signers.ecdsa_secp256r1_sha256.publicKey) }),
      device.make({ suite: 0x0007 }),
    ]);
    expect((await upload(device, ...valid)).status).toBe(201);
    expect([await count(device), await count(device, "0x0002"), await count(device, "0x0007")]).toEqual([
      2, 1, 1,
    ]);

    const bad = await Promise.all([
      device.make(certificate(`app://${device.identity}0`)),
      device.make(certificate(short, newSigner().publicKey)),
      device.make(certificate(short, signers.ecdsa_secp256r1_sha256.publicKey)),
      device.make({ credential: { credentialType: "x509", certificates: [] } }),
      device.make({ credential: { credentialType: "x509", certificates: [Buffer.from(device.identity)] } }),
    ]);
    for (const one of bad) expect(outcome(await upload(device, one))).toBe("400 mls-protocol-error");
  });

  it("refuses packages with a wrong credential, suite, signature, lifetime or key", async () => {
    const { user, device } = await newOwner();
    const other = await newOwner();
    const sibling = await newMlsDevice(user);
    const now = nowSeconds();
    const own = device.identity;
    const update = { leafNodeSource: "update", groupId: randomBytes(16), leafIndex: 0 } as object;
    const commit = { ...update, leafNodeSource: "commit", parentHash: randomBytes(32) } as object;
    const wishes: [string, ...Partial<KeyPackageWish>[]][] = [
      [
        "The credential is not that of the device and its key",
        { identity: other.device.identity },
        { identity: sibling.identity },
        { identity: own.replace(domain, "example.com") },
        { identity: own.toUpperCase() },
        { identity: `${own} ` },
        { identity: "" },
      ],
      ["Cipher suite 3 is not served", { suite: 0x0003 }],
      ["Cipher suite 0 is not served", { suite: 0x0000 }],
      ["The signature of the key package is wrong", { packageSigner: newSigner() }],
      ["The leaf node is not one of a key package", { leaf: update }, { leaf: commit }],
      ["The key package is not valid yet", { notBefore: now + 600 }],
      ["The key package has expired", { notAfter: now - 1 }, { notBefore: now - 900, notAfter: now - 600 }],
      [
        "The key package is valid for too long",
        { notAfter: now + longestLifetime + 600 },
        { notAfter: Number.MAX_SAFE_INTEGER },
      ],
      [
        "The signature key is not the one that the device has registered",
        { signer: newSigner() },
        { signer: sibling.signers.ed25519 },
      ],
      ["The signature key is not one of ed25519", { signer: device.signers.ecdsa_secp256r1_sha256 }],
      ["The signature of the leaf node is wrong", { leafSigner: newSigner() }],
      [
        "The signature key is not one of ecdsa_secp256r1_sha256",
        { suite: 2, signer: device.signers.ed25519 },
      ],
    ];
    for (const [message, ...bad] of wishes) {
      for (const wish of bad) {
        const { status, body } = await upload(device, await device.make(wish));
        expect({ status, body }).toEqual({
          status: 400,
          body: { code: 400, label: "mls-protocol-error", message },
        });
      }
    }
    expect(await count(device)).toBe(0);
  });

  it("accepts a lifetime of 84 days, as clients choose it, and the longest that is allowed", async () => {
    const { device } = await newOwner();
    const common = await device.make({ notAfter: nowSeconds() + 84 * 86_400 });
    expect((await upload(device, common)).status).toBe(201);
    const notAfter = nowSeconds() + longestLifetime;
    expect((await upload(device, await device.make({ notBefore: 0, notAfter }))).status).toBe(201);
  });

  it("refuses malformed key packages with 400 mls-protocol-error", async () => {
    const { device } = await newOwner();
    const made = Buffer.from(await device.make(), "base64");
    const wrapped = Buffer.concat([Buffer.from("00010005", "hex"), made]);
    const version = Buffer.concat([Buffer.from("0002", "hex"), made.subarray(2)]);
    const more = Buffer.concat([made, Buffer.of(0)]);
    const others = [
      Buffer.alloc(0),
      Buffer.alloc(300),
      randomBytes(300),
      wrapped,
      version,
      more,
      made.subarray(0, -1),
    ];
    for (const bytes of others)
      expect(outcome(await upload(device, bytes.toString("base64")))).toBe("400 mls-protocol-error");
  });

  it("is refused as a whole when one package is invalid", async () => {
    const { device } = await newOwner();
    const packages = [...(await makeSeveral(device, 3)), await device.make({ packageSigner: newSigner() })];
    expect(outcome(await upload(device, ...packages))).toBe("400 mls-protocol-error");
    expect(await count(device)).toBe(0);
  });

  it("requires a key that the device has registered for the signature scheme", async () => {
    const user = await newUser();
    const device = await newMlsDevice(user, { registered: ["ecdsa_secp256r1_sha256"] });
    expect(outcome(await upload(device, await device.make()))).toBe("400 mls-protocol-error");
    expect((await upload(device, await device.make({ suite: 0x0002 }))).status).toBe(201);

    const json = { mls_public_keys: { ed25519: device.signers.ed25519.raw.toString("base64") } };
    await api("PUT", `/v8/clients/${device.clientId}`, { token: user.token, json });
    expect((await upload(device, await device.make())).status).toBe(201);
  });

  it("is refused with 403 mls-identity-mismatch for somebody else's device or an unknown one", async () => {
    const [{ device }, stranger] = await Promise.all([newOwner(), newOwner()]);
    const made = await device.make();
    const { token } = stranger.device;
    for (const clientId of [device.clientId, "00c0ffee00c0ffee", "constructor", "%20"]) {
      expect(outcome(await upload({ clientId, token }, made))).toBe("403 mls-identity-mismatch");
      expect(outcome(await upload({ clientId, token }))).toBe("403 mls-identity-mismatch");
    }
    expect(await count(device)).toBe(0);
  });

  it("is refused when its body is malformed", async () => {
    const { device } = await newOwner();
    const { token } = device;
    const path = `/v8${pathOf(device)}`;
    const made = await device.make();
    const bodies = [
      undefined,
      [],
      {},
      { key_packages: made },
      { key_packages: [1] },
      { key_packages: [null] },
      { key_packages: [`${made}!`] },
      { key_packages: [made.slice(0, -1)] },
      { key_packages: [Buffer.alloc(20_000).toString("base64")] },
    ];
    for (const json of bodies)
      expect(outcome(await api("POST", path, { token, json }))).toBe("400 bad-request");
    const headers = { "content-type": "application/json" };
    expect(outcome(await api("POST", path, { token, headers, body: "{" }))).toBe("400 bad-request");
    expect((await api("POST", path, { token, headers, body: " ".repeat(2_200_000) })).status).toBe(413);
    const text = { token, headers: { "content-type": "message/mls" }, body: "x" };
    expect((await api("POST", path, text)).status).toBe(415);
  });

  it("is refused once the device is removed, and leaves nothing behind when both run concurrently", async () => {
    const user = await newUser();
    for (let round = 0; round < 3; round++) {
      const device = await newMlsDevice(user);
      const packages = await makeSeveral(device, 5);
      const json = { password: user.password };
      const [, ...uploads] = await Promise.all([
        api("DELETE", `/v8/clients/${device.clientId}`, { token: user.token, json }),
        ...packages.map((made) => upload(device, made)),
      ]);
      for (const { status } of uploads) expect([201, 403]).toContain(status);
      expect(outcome(await upload(device, ...packages))).toBe("403 mls-identity-mismatch");
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
    expect(await count(device)).toBe(0);
    expect(await claim((await newUser()).token, user.id)).toEqual([]);
  });

  /** A user whose device was removed by a function that died before it removed the packages. */
  async function withLeftovers() {
    const user = await newUser();
    const lastkey = lastPrekey();
    const again = () => registerDevice(user, { lastkey });
    const device = await newMlsDevice(user, { lastkey });
    const packages = await makeSeveral(device, 2);
    await upload(device, ...packages);
    const { dynamo, devices, keyPackages } = stores();
    const current = await devices.get(user.id);
    await transact(dynamo, [devices.put(current, {})]);
    const left = await keyPackages.count({ userId: user.id, clientId: device.clientId, suite: 0x0001 });
    return { user, device, again, left };
  }
});

describe.concurrent("a replacement", () => {
  it("replaces the packages of the named suites, and nothing else", async () => {
    const { user, device } = await newOwner();
    await upload(
      device,
      ...(await makeSeveral(device, 3)),
      ...(await makeSeveral(device, 2, { suite: 0xf031 })),
    );
    await upload(device, ...(await makeSeveral(device, 2, { suite: 0x0002 })));
    const [one, post] = await Promise.all([device.make(), device.make({ suite: 0xf031 })]);
    const answer = await replace(device, "0x0001,0xf031", one, post);

    expect({ status: answer.status, body: answer.body }).toEqual({ status: 201, body: "" });
    expect([await count(device), await count(device, "0xf031"), await count(device, "0x0002")]).toEqual([
      1, 1, 2,
    ]);
    expect((await claim(user.token, user.id)).map((entry) => entry.key_package)).toEqual([one]);
    expect(await claim(user.token, user.id)).toEqual([]);
  });

  it("may include packages that were there before", async () => {
    const { device } = await newOwner();
    const packages = await makeSeveral(device, 4);
    await upload(device, ...packages);
    expect((await replace(device, "1", ...packages.slice(2), await device.make())).status).toBe(201);
    expect(await count(device)).toBe(3);
  });

  it("is refused, and changes nothing, unless its packages match the named suites", async () => {
    const { device } = await newOwner();
    await upload(device, await device.make());
    const [one, two] = await Promise.all([device.make(), device.make({ suite: 0x0002 })]);
    const attempts: [string, ...string[]][] = [
      ["0x0002", one],
      ["0x0001,0x0002", one],
      ["0x0001", one, two],
      ["0x0001"],
      ["0x0001,0x0003", one],
      ["0x0003"],
      ["99999", one],
    ];
    for (const attempt of attempts) {
      expect({ attempt, outcome: outcome(await replace(device, ...attempt)) }).toEqual({
        attempt,
        outcome: "400 mls-protocol-error",
      });
    }
    expect([await count(device), await count(device, "0x0002")]).toEqual([1, 0]);
  });

  it("is checked like an upload", async () => {
    const [{ device }, stranger] = await Promise.all([newOwner(), newOwner()]);
    await upload(device, await device.make());
    const made = await device.make();
    expect(
      outcome(await replace(device, "0x0001", made, await device.make({ leafSigner: newSigner() }))),
    ).toBe("400 mls-protocol-error");
    expect(outcome(await replace({ ...device, token: stranger.device.token }, "0x0001", made))).toBe(
      "403 mls-identity-mismatch",
    );
    expect(await count(device)).toBe(1);
  });

  it("must name its suites from version 8 on, and replaces those of suite 1 before", async () => {
    const { device } = await newOwner();
    const { token } = device;
    const json = async () => ({ key_packages: [await device.make()] });
    for (const prefix of ["/v5", "/v7", ""])
      expect((await api("PUT", prefix + pathOf(device), { token, json: await json() })).status).toBe(201);
    for (const query of [
      "",
      "?ciphersuites=",
      "?ciphersuites=x",
      "?ciphersuites=0x0001,",
      "?ciphersuite=0x0001",
    ]) {
      const answer = await api("PUT", `/v8${pathOf(device)}${query}`, { token, json: await json() });
      expect({ query, outcome: outcome(answer) }).toEqual({ query, outcome: "400 bad-request" });
    }
    expect(await count(device)).toBe(1);
  });

  it("never leaves the device without packages when 10 run concurrently", async () => {
    const { device } = await newOwner();
    await upload(device, await device.make());
    const packages = await makeSeveral(device, 10);
    const answers = await Promise.all(packages.map((made) => replace(device, "0x0001", made)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect(await count(device)).toBeGreaterThan(0);
    await replace(device, "0x0001", await device.make());
    expect(await count(device)).toBe(1);
  });
});

describe.concurrent("counting packages", () => {
  it("accepts the suite in either notation, requires it from version 8 on, and counts suite 1 before", async () => {
    const { device } = await newOwner();
    await upload(device, await device.make(), ...(await makeSeveral(device, 2, { suite: 0xf031 })));
    const { token } = device;

    expect((await requestCount(device)).body).toEqual({ count: 1 });
    for (const suite of ["0xf031", "0xF031", "61489"]) expect(await count(device, suite)).toBe(2);
    for (const prefix of ["/v5", "/v7", ""])
      expect((await api("GET", `${prefix}${pathOf(device)}/count`, { token })).body).toEqual({ count: 1 });
    expect(outcome(await api("GET", `/v8${pathOf(device)}/count`, { token }))).toBe("400 bad-request");
    for (const suite of ["", "x", "0x", "-1", "1.5", "0x00001", "f031"])
      expect(outcome(await requestCount(device, suite))).toBe("400 bad-request");
    expect(outcome(await requestCount(device, "0x0003"))).toBe("400 mls-protocol-error");
    expect((await api("GET", `/v4${pathOf(device)}/count`, { token })).status).toBe(404);
  });

  it("is limited to the user's own devices", async () => {
    const [{ device }, stranger] = await Promise.all([newOwner(), newOwner()]);
    expect(outcome(await requestCount({ ...device, token: stranger.device.token }))).toBe(
      "403 mls-identity-mismatch",
    );
  });
});

describe.concurrent("a deletion", () => {
  it("deletes packages of the named suite by reference, and ignores unknown ones", async () => {
    const { user, device } = await newOwner();
    const packages = await makeSeveral(device, 3);
    const other = await device.make({ suite: 0x0005 });
    await upload(device, ...packages, other);
    const [first = "", second = ""] = await referencesOf(packages);
    const [otherReference = ""] = await referencesOf([other]);
    const unknown = [randomBytes(32), randomBytes(64), Buffer.alloc(0)].map((bytes) =>
      bytes.toString("base64"),
    );
    const answer = await remove(device, "0x0001", first, second, first, otherReference, ...unknown);

    expect({ status: answer.status, body: answer.body }).toEqual({ status: 201, body: "" });
    expect([await count(device), await count(device, "0x0005")]).toEqual([1, 1]);
    expect((await claim(user.token, user.id)).map((entry) => entry.key_package)).toEqual(packages.slice(2));
    expect((await remove(device, "0x0005", otherReference)).status).toBe(201);
    expect(await count(device, "0x0005")).toBe(0);
  });

  it("accepts 1 to 1000 references", async () => {
    const { device } = await newOwner();
    const made = await device.make();
    await upload(device, made);
    const many = (length: number) => Array.from({ length }, () => randomBytes(64).toString("base64"));
    expect((await remove(device, "0x0001", ...many(999), ...(await referencesOf([made])))).status).toBe(201);
    expect(await count(device)).toBe(0);
    expect(outcome(await remove(device, "0x0001", ...many(1001)))).toBe("400 bad-request");
    expect(outcome(await remove(device, "0x0001"))).toBe("400 bad-request");
    expect(outcome(await remove(device, "0x0001", "not base64"))).toBe("400 bad-request");
    expect(outcome(await remove(device, "0x0003", ...many(1)))).toBe("400 mls-protocol-error");
  });

  it("requires the suite from version 8 on, and deletes those of suite 1 before", async () => {
    const { device } = await newOwner();
    const { token } = device;
    const packages = await makeSeveral(device, 2);
    await upload(device, ...packages);
    const json = { key_packages: (await referencesOf(packages)).slice(1) };
    expect(outcome(await api("DELETE", `/v8${pathOf(device)}`, { token, json }))).toBe("400 bad-request");
    expect((await api("DELETE", `/v5${pathOf(device)}`, { token, json })).status).toBe(201);
    expect(await count(device)).toBe(1);
  });

  it("is limited to the user's own devices", async () => {
    const [{ device }, stranger] = await Promise.all([newOwner(), newOwner()]);
    const made = await device.make();
    await upload(device, made);
    const references = await referencesOf([made]);
    expect(outcome(await remove({ ...device, token: stranger.device.token }, "0x0001", ...references))).toBe(
      "403 mls-identity-mismatch",
    );
    expect(await count(device)).toBe(1);
  });
});

describe.concurrent("a claim", () => {
  it("returns one package of each device that has any, once", async () => {
    const [{ user, device }, claimer] = await Promise.all([newOwner(), newUser()]);
    const [sibling, empty] = [await newMlsDevice(user), await newMlsDevice(user)];
    const [made, ofSibling] = await Promise.all([device.make(), sibling.make()]);
    await Promise.all([upload(device, made), upload(sibling, ofSibling)]);
    await upload(empty, await empty.make({ suite: 0x0002 }));
    const [reference, siblingReference] = await referencesOf([made, ofSibling]);

    const { status, body } = await requestClaim(claimer.token, user.id);
    expect(status).toBe(200);
    const fixed = { user: user.id, domain };
    expect(Object.keys(body)).toEqual(["key_packages"]);
    expect(body.key_packages).toHaveLength(2);
    expect(body.key_packages).toEqual(
      expect.arrayContaining([
        { ...fixed, client: device.clientId, key_package_ref: reference, key_package: made },
        { ...fixed, client: sibling.clientId, key_package_ref: siblingReference, key_package: ofSibling },
      ]),
    );
    expect(await claim(claimer.token, user.id)).toEqual([]);
    expect([await count(device), await count(sibling), await count(empty, "0x0002")]).toEqual([0, 0, 1]);
  });

  it("are picked at random", async () => {
    const { user, device } = await newOwner();
    const packages = await makeSeveral(device, 20);
    await upload(device, ...packages);
    const order: string[] = [];
    for (const _ of packages) order.push((await claim(user.token, user.id))[0]?.key_package ?? "");
    expect(order.toSorted()).toEqual(packages.toSorted());
    expect(order).not.toEqual(packages);
    const references = await referencesOf(order);
    expect(references).not.toEqual(references.toSorted());
  });

  it("gives 20 concurrent callers different packages, and nothing once none is left", async () => {
    const [{ user, device }, claimer] = await Promise.all([newOwner(), newUser()]);
    await connectUsers(claimer, user);
    await upload(device, ...(await makeSeveral(device, 20)));
    const claimed = (await concurrently(20, () => claim(claimer.token, user.id))).flat();
    expect(new Set(claimed.map((entry) => entry.key_package_ref)).size).toBe(20);

    await upload(device, ...(await makeSeveral(device, 5)));
    const others = await concurrently(20, () => claim(claimer.token, user.id));
    expect(others.filter((entries) => entries.length === 1)).toHaveLength(5);
    expect(new Set(others.flat().map((entry) => entry.key_package_ref)).size).toBe(5);
    expect(await count(device)).toBe(0);
  });

  it("skips the calling device and the one in skip_own when users claim their own packages", async () => {
    const { user, device } = await newOwner();
    const sibling = await newMlsDevice(user);
    const fill = async () => {
      for (const one of [device, sibling]) await replace(one, "1", await one.make());
    };
    const clientsOf = async (token: string, query = "") =>
      (await claim(token, user.id, `ciphersuite=0x0001${query}`)).map(({ client }) => client).toSorted();
    const both = [device.clientId, sibling.clientId].toSorted();

    await fill();
    expect(await clientsOf(device.token)).toEqual([sibling.clientId]);
    expect(await count(device)).toBe(1);
    await fill();
    expect(await clientsOf(user.token)).toEqual(both);
    await fill();
    expect(await clientsOf(user.token, `&skip_own=${sibling.clientId}`)).toEqual([device.clientId]);
    await fill();
    expect(await clientsOf(device.token, `&skip_own=${sibling.clientId}`)).toEqual([]);
    await fill();
    const stranger = await newUser();
    expect(await clientsOf(stranger.token, `&skip_own=${sibling.clientId}`)).toEqual(both);
  });

  it("takes the user's own packages when the path names no user, and skips the calling device on request", async () => {
    const { user, device } = await newOwner();
    const sibling = await newMlsDevice(user);
    const packages = [...(await makeSeveral(device, 2)), await device.make({ suite: 0x0002 })];
    await upload(device, ...packages);
    await upload(sibling, ...(await makeSeveral(sibling, 2)));
    const claimOwn = async (prefix: string, query = ""): Promise<Entry[]> => {
      const { body } = await api("POST", `${prefix}/mls/key-packages/claim${query}`, { token: device.token });
      return body.key_packages;
    };
    const both = [device.clientId, sibling.clientId].toSorted();

    expect((await claimOwn("", "?skip_own=true")).map(({ client }) => client)).toEqual([sibling.clientId]);
    expect((await claimOwn("/v8")).map(({ client }) => client).toSorted()).toEqual(both);
    expect((await claimOwn("/v5", "?skip_own=false")).map(({ client }) => client)).toEqual([device.clientId]);
    const [entry] = await claimOwn("/v9", "?ciphersuite=0x0002");
    expect(entry).toEqual({
      user: user.id,
      domain,
      client: device.clientId,
      key_package: packages[2],
      key_package_ref: (await referencesOf(packages))[2],
    });
    const { token } = user;
    const bad = await api("POST", "/v8/mls/key-packages/claim?skip_own=maybe", { token });
    expect(outcome(bad)).toBe("400 bad-request");
    const unserved = await api("POST", "/v8/mls/key-packages/claim?ciphersuite=3", { token });
    expect(outcome(unserved)).toBe("400 mls-protocol-error");
  });

  it("requires the suite from version 8 on, and claims suite 1 before", async () => {
    const { user, device } = await newOwner();
    await upload(device, ...(await makeSeveral(device, 3)));
    const path = `/mls/key-packages/claim/${domain.toUpperCase()}/${user.id.toUpperCase()}`;
    for (const prefix of ["/v5", "/v7", ""]) {
      const { body } = await api("POST", prefix + path, { token: user.token });
      expect(body.key_packages).toMatchObject([{ user: user.id, domain, client: device.clientId }]);
    }
    expect(outcome(await api("POST", `/v8${path}`, { token: user.token }))).toBe("400 bad-request");
    expect(outcome(await requestClaim(user.token, user.id, "ciphersuite=3"))).toBe("400 mls-protocol-error");
    expect(outcome(await requestClaim(user.token, user.id, "ciphersuite=x"))).toBe("400 bad-request");
    expect((await api("POST", `/v4${path}`, { token: user.token })).status).toBe(404);
  });

  it("is limited to existing, active and local users", async () => {
    const [{ user, device }, { token }] = await Promise.all([newOwner(), newUser()]);
    await upload(device, await device.make());
    expect(outcome(await requestClaim(token, randomUUID()))).toBe("400 invalid-user");
    expect(outcome(await requestClaim(token, user.id, undefined, "example.com"))).toBe(
      "400 federation-not-enabled",
    );
    expect(outcome(await requestClaim(token, "nobody"))).toBe("400 bad-request");

    const status = (word: string) =>
      internalApi("PUT", `/i/users/${user.id}/status`, { json: { status: word } });
    await status("suspended");
    expect(outcome(await requestClaim(token, user.id))).toBe("400 invalid-user");
    await status("active");
    expect(await claim(token, user.id)).toHaveLength(1);
  });

  it("is refused with 409 mls-legal-hold-not-allowed for a user under legal hold, and takes nothing", async () => {
    const { user, device } = await newOwner();
    await upload(device, await device.make());
    const { dynamo, devices } = stores();
    const known = await devices.get(user.id);
    const legalhold = {
      clientId: "00c0ffee00c0ffee",
      type: "legalhold" as const,
      capabilities: [],
      mlsPublicKeys: {},
      registeredAt: 0,
    };
    await transact(dynamo, [devices.put(known, { ...known.devices, [legalhold.clientId]: legalhold })]);

    const [other] = await Promise.all([newUser()]);
    for (const { token } of [user, other])
      expect(outcome(await requestClaim(token, user.id))).toBe("409 mls-legal-hold-not-allowed");
    expect(await count(device)).toBe(1);
  });
});

describe.concurrent("the public removal keys", () => {
  const lengths = {
    ed25519: 32,
    ecdsa_secp256r1_sha256: 65,
    ecdsa_secp384r1_sha384: 97,
    ecdsa_secp521r1_sha512: 133,
  };
  const ask = ({ token }: Pick<User, "token">, query = "", prefix = "/v8") =>
    api("GET", `${prefix}/mls/public-keys${query}`, { token });

  it("are raw unless they are requested as JSON Web Keys, and always the same", async () => {
    const [one, other] = await Promise.all([newUser(), newUser()]);
    const { status, body } = await ask(one);
    expect(status).toBe(200);
    const raw: Record<string, string> = body.removal;
    const sizes = Object.entries(raw).map(([scheme, key]) => [scheme, Buffer.from(key, "base64").length]);
    expect(Object.fromEntries(sizes)).toEqual(lengths);
    expect((await ask(other, "?format=raw", "/v5")).body).toEqual(body);
    expect((await ask(other, "", "")).body).toEqual(body);

    const jwk = (await ask(one, "?format=jwk")).body.removal;
    const coordinate = (scheme: keyof typeof lengths, start: number, length: number) =>
      Buffer.from(raw[scheme] ?? "", "base64")
        .subarray(start, start + length)
        .toString("base64url");
    const point = (crv: string, scheme: keyof typeof lengths, length: number) => ({
      kty: "EC",
      crv,
      x: coordinate(scheme, 1, length),
      y: coordinate(scheme, 1 + length, length),
    });
    expect(jwk).toEqual({
      ed25519: { kty: "OKP", crv: "Ed25519", x: coordinate("ed25519", 0, 32) },
      ecdsa_secp256r1_sha256: point("P-256", "ecdsa_secp256r1_sha256", 32),
      ecdsa_secp384r1_sha384: point("P-384", "ecdsa_secp384r1_sha384", 48),
      ecdsa_secp521r1_sha512: point("P-521", "ecdsa_secp521r1_sha512", 66),
    });
  });

  it("have no other format, and do not exist before version 5", async () => {
    const user = await newUser();
    expect(outcome(await ask(user, "?format=pem"))).toBe("400 bad-request");
    expect((await ask(user, "", "/v4")).status).toBe(404);
  });
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

it("requires an access token for every operation", async () => {
  for (const [method, path, json] of operations("00c0ffee00c0ffee", randomUUID()))
    expect((await api(method, path, { json })).status).toBe(401);
});

it("returns 400 mls-not-enabled for every operation while MLS is disabled, and changes nothing", async () => {
  const enabled = await stackWith();
  const { publicApi, prefix } = enabled;
  const user = await newUser({}, enabled);
  const device = await newMlsDevice(user, { publicApi, prefix });
  const json = { key_packages: [await device.make()] };
  await publicApi("POST", `/v8${pathOf(device)}`, { token: user.token, json });
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
  (await publicApi("GET", `/v8${pathOf(device)}/count?ciphersuite=0x0001`, { token })).body.count;

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
