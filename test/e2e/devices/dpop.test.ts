import { generateKeyPairSync, type KeyObject, randomUUID, sign as signBytes } from "node:crypto";
import { PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import {
  calculateJwkThumbprint,
  decodeProtectedHeader,
  exportJWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import { parse as parseUuid } from "uuid";
import { beforeAll, describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { registerDevice } from "../../support/devices.ts";
import { newReader } from "../../support/events.ts";
import { withLostAnswers } from "../../support/faults.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

let stack: OwnStack;
const serverKey: KeyPair = generateKeyPairSync("ed25519");

beforeAll(async () => {
  stack = await ownStack();
  const secretsManager = new SecretsManagerClient();
  const SecretString = JSON.stringify({ keys: [await exportJWK(serverKey.privateKey)] });
  await secretsManager.send(
    new PutSecretValueCommand({ SecretId: `${stack.prefix}-dpop-key`, SecretString }),
  );
  secretsManager.destroy();
});

/** A user in a team, with a device and its key. */
interface Holder extends User {
  readonly clientId: string;
  readonly handle: string;
  readonly teamId: string;
  readonly keys: KeyPair;
}

async function newHolder(lacks?: "handle" | "teamId"): Promise<Holder> {
  const team = await newTeam({}, stack);
  const profile = { name: "Ada" };
  const user = lacks === "teamId" ? await newUser(profile, stack) : await team.add("member", profile);
  const handle = `ada.${randomUUID().slice(0, 8)}`;
  const { publicApi } = stack;
  if (lacks !== "handle") await publicApi("PUT", "/self/handle", { token: user.token, json: { handle } });
  const { body } = await registerDevice(user, {}, { publicApi });
  return { ...user, handle, teamId: team.id, clientId: body.id, keys: generateKeyPairSync("ed25519") };
}

const pathOf = ({ clientId }: Holder) => `/v8/clients/${clientId}/access-token`;
const seconds = () => Math.floor(stack.clock() / 1000);

async function nonceFor({ token, clientId }: Holder): Promise<string> {
  const { headers } = await stack.publicApi("GET", `/v8/clients/${clientId}/nonce`, { token });
  return headers.get("replay-nonce") ?? "";
}

const subjectOf = (id: string, clientId: string) =>
  `svcapp://${Buffer.from(parseUuid(id)).toString("base64url")}!${clientId}@parley.localhost`;

/** Claims of a valid proof. */
const claimsFor = (holder: Holder, nonce: string): JWTPayload => ({
  htm: "POST",
  htu: stack.publicUrl + pathOf(holder),
  jti: randomUUID(),
  iat: seconds(),
  exp: seconds() + 60,
  nonce,
  sub: subjectOf(holder.id, holder.clientId),
  chal: "challenge",
  aud: "https://ca.example.com/acme/challenge",
  handle: `svcapp://%40${holder.handle}@parley.localhost`,
  team: holder.teamId,
  name: "Ada",
});

async function sign(
  { keys }: Holder,
  claims: JWTPayload,
  { header = {}, key = keys.privateKey }: { header?: object; key?: KeyObject | Uint8Array } = {},
): Promise<string> {
  const jwk = await exportJWK(keys.publicKey);
  return new SignJWT(claims).setProtectedHeader({ alg: "EdDSA", typ: "dpop+jwt", jwk, ...header }).sign(key);
}

const suspend = ({ id }: Holder) =>
  stack.internalApi("PUT", `/i/users/${id}/status`, { json: { status: "suspended" } });

const present = (holder: Holder, proof: string, path = pathOf(holder)) =>
  stack.publicApi("POST", path, { token: holder.token, headers: { DPoP: proof } });

describe.concurrent("a nonce", () => {
  it.each([
    ["HEAD", 200],
    ["GET", 204],
  ])("is returned by %s with %i, and differs each time", async (method, status) => {
    const holder = await newHolder();
    const ask = () => stack.publicApi(method, `/clients/${holder.clientId}/nonce`, { token: holder.token });
    const [one, other] = [await ask(), await ask()];
    expect(one).toMatchObject({ status, body: "" });
    expect(one.headers.get("cache-control")).toBe("no-store");
    expect(one.headers.get("replay-nonce")).toMatch(/^[\w-]{22}$/);
    expect(other.headers.get("replay-nonce")).not.toBe(one.headers.get("replay-nonce"));
  });
});

describe.concurrent("an access token for a device", () => {
  it("is refused to a suspended user whose own access token is still valid", async () => {
    const holder = await newHolder();
    const proof = await sign(holder, claimsFor(holder, await nonceFor(holder)));
    await suspend(holder);
    expect(outcome(await present(holder, proof))).toBe("403 suspended");
  });

  it("is issued for a proof, and names device, key and challenge", async () => {
    const holder = await newHolder();
    const proof = await sign(holder, claimsFor(holder, await nonceFor(holder)));
    const { status, headers, body } = await present(holder, proof);

    expect({ status, body }).toEqual({
      status: 200,
      body: { token: expect.any(String), type: "DPoP", expires_in: 30 },
    });
    expect(headers.get("cache-control")).toBe("no-store");
    const { payload, protectedHeader } = await jwtVerify(body.token, serverKey.publicKey, {
      currentDate: new Date(stack.clock()),
    });
    const subject = subjectOf(holder.id, holder.clientId);
    const thumbprint = await calculateJwkThumbprint(await exportJWK(holder.keys.publicKey));
    const { d, ...serverJwk } = await exportJWK(serverKey.privateKey);
    expect(d).toBeDefined();
    expect(protectedHeader).toEqual({ alg: "EdDSA", typ: "at+jwt", jwk: serverJwk });
    expect(payload).toMatchObject({
      iss: stack.publicUrl + pathOf(holder),
      sub: subject,
      client_id: subject,
      aud: "https://ca.example.com/acme/challenge",
      chal: "challenge",
      cnf: { jkt: thumbprint, kid: thumbprint },
      scope: "svc_client_id",
      proof,
    });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(30);
  });

  it("is issued on paths without a version, and without optional claims", async () => {
    const holder = await newHolder();
    const path = `/clients/${holder.clientId}/access-token`;
    const { chal, aud, handle, team, name, ...least } = claimsFor(holder, await nonceFor(holder));
    const claims = { ...least, htu: `${(stack.publicUrl + path).replace("http", "HTTP")}?query=1` };
    expect(outcome(await present(holder, await sign(holder, claims), path))).toBe("200");
  });

  it("is issued whether or not the id of the device is padded with zeros, and names it without", async () => {
    const holder = await newHolder();
    const padded = { ...holder, clientId: holder.clientId.padStart(20, "0").toUpperCase() };
    for (const spelling of [padded, holder]) {
      const proof = await sign(holder, claimsFor(padded, await nonceFor(spelling)));
      const { body } = await present(spelling, proof);
      const { payload } = await jwtVerify(body.token, serverKey.publicKey, {
        currentDate: new Date(stack.clock()),
      });
      expect(payload.sub).toBe(subjectOf(holder.id, holder.clientId));
      expect(payload.iss).toBe(stack.publicUrl + pathOf(holder));
    }
  });

  it("is issued for keys on all curves of MLS", async () => {
    for (const [alg, namedCurve] of Object.entries({ ES256: "P-256", ES384: "P-384", ES512: "P-521" })) {
      const holder = { ...(await newHolder()), keys: generateKeyPairSync("ec", { namedCurve }) };
      const proof = await sign(holder, claimsFor(holder, await nonceFor(holder)), { header: { alg } });
      expect(outcome(await present(holder, proof))).toBe("200");
    }
  });

  it("is issued for the newer name of the algorithm, but for no algorithm of another kind of key", async () => {
    const holder = await newHolder();
    const proofWith = async (alg: string) => {
      const claims = claimsFor(holder, await nonceFor(holder));
      const [, payload, signature] = (await sign(holder, claims)).split(".");
      const { jwk } = decodeProtectedHeader(await sign(holder, claims));
      const header = Buffer.from(JSON.stringify({ alg, typ: "dpop+jwt", jwk })).toString("base64url");
      if (alg !== "Ed25519") return [header, payload, signature].join(".");
      const signed = Buffer.from(`${header}.${payload}`);
      return `${signed}.${signBytes(null, signed, holder.keys.privateKey).toString("base64url")}`;
    };
    expect(outcome(await present(holder, await proofWith("Ed25519")))).toBe("200");
    for (const alg of ["ES256", "ES384", "ES512", "RS256", "Ed448", "none"])
      expect(outcome(await present(holder, await proofWith(alg)))).toBe("400 client-token-parse-error");
  });

  it("is issued once per nonce", async () => {
    const holder = await newHolder();
    const claims = claimsFor(holder, await nonceFor(holder));
    const proofs = await Promise.all(Array.from({ length: 20 }, () => sign(holder, claims)));
    const answers = await Promise.all(proofs.map((proof) => present(holder, proof)));
    expect(answers.map(outcome).sort()).toEqual(["200", ...Array(19).fill("400 client-token-bad-nonce")]);
  });

  it("is refused for a nonce that was replaced, is another device's, or is made up", async () => {
    const [holder, other] = [await newHolder(), await newHolder()];
    const replaced = await nonceFor(holder);
    await nonceFor(holder);
    for (const nonce of [replaced, await nonceFor(other), "x"]) {
      await nonceFor(holder);
      const proof = await sign(holder, claimsFor(holder, nonce));
      expect(outcome(await present(holder, proof))).toBe("400 client-token-bad-nonce");
    }
    expect(outcome(await present(holder, await sign(holder, claimsFor(holder, "x"))))).toBe(
      "400 client-token-bad-nonce",
    );
  });

  it("is refused for a proof with wrong or missing claims", async () => {
    const holder = await newHolder();
    const parseError = ["htm", "htu", "jti", "iat", "exp", "nonce", "sub"].map((name) => ({
      [name]: undefined,
    }));
    const wrong: Record<string, JWTPayload[]> = {
      "400 client-token-parse-error": [...parseError, { htu: ["x"] }, { chal: 1 }],
      "400 client-token-bad-method": [{ htm: "GET" }, { htm: "post" }],
      "400 client-token-bad-uri": [
        { htu: "not a URL" },
        { htu: stack.publicUrl },
        { htu: "https://x.example" },
      ],
      "400 client-token-bad-client-id": [
        { sub: "svcapp://x!y@parley.localhost" },
        { sub: subjectOf(randomUUID(), "0123456789abcdef") },
        { handle: "svcapp://%40other@parley.localhost" },
        { sub: subjectOf(holder.id, holder.clientId).replace("@parley", "@other") },
        { handle: `svcapp://%40${holder.handle}@other.localhost` },
        { handle: holder.handle },
        { team: randomUUID() },
        { name: "Eve" },
      ],
      "400 client-token-bad-time": [{ exp: 1 }, { iat: 2 ** 40 }, { nbf: 2 ** 40 }],
    };
    for (const [expected, variants] of Object.entries(wrong)) {
      for (const claims of variants) {
        const proof = await sign(holder, { ...claimsFor(holder, await nonceFor(holder)), ...claims });
        expect([claims, outcome(await present(holder, proof))]).toEqual([claims, expected]);
      }
    }
  });

  it("is refused for a proof with a wrong signature or none", async () => {
    const holder = await newHolder();
    const stranger = generateKeyPairSync("ed25519");
    const claims = async () => claimsFor(holder, await nonceFor(holder));
    const secret = new Uint8Array(32);
    const symmetric = { alg: "HS256", jwk: { kty: "oct", k: Buffer.from(secret).toString("base64url") } };
    const right = await sign(holder, await claims());
    const proofs = {
      "another key": await sign(holder, await claims(), { key: stranger.privateKey }),
      "another type": await sign(holder, await claims(), { header: { typ: "JWT" } }),
      "no key": await sign(holder, await claims(), { header: { jwk: undefined } }),
      "a private key": await sign(holder, await claims(), {
        header: { jwk: await exportJWK(holder.keys.privateKey) },
      }),
      "a malformed key": await sign(holder, await claims(), { header: { jwk: { kty: "OKP", x: "" } } }),
      "a shared secret": await sign(holder, await claims(), { header: symmetric, key: secret }),
      "no signature": new UnsecuredJWT(await claims()).encode(),
      "a truncated one": right.slice(0, -5),
      garbage: "garbage",
      "garbage in three parts": "a.b.c",
      "one of our own tokens": holder.token,
    };
    for (const [name, proof] of Object.entries(proofs)) {
      await nonceFor(holder);
      const expected =
        name === "another key" ? "400 client-token-bad-signature" : "400 client-token-parse-error";
      expect([name, outcome(await present(holder, proof))]).toEqual([name, expected]);
    }
  });

  it("requires the DPoP header", async () => {
    const { token, clientId } = await newHolder();
    const path = `/v8/clients/${clientId}/access-token`;
    expect(outcome(await stack.publicApi("POST", path, { token }))).toBe("400 bad-request");
    const headers = { DPoP: "x".repeat(8193) };
    expect(outcome(await stack.publicApi("POST", path, { token, headers }))).toBe("400 bad-request");
  });

  it("requires a handle, a team and a device of the user", async () => {
    const noHandle = await newHolder("handle");
    expect(outcome(await present(noHandle, "x"))).toBe("400 missing-handle");
    const noTeam = await newHolder("teamId");
    expect(outcome(await present(noTeam, "x"))).toBe("400 not-a-team-user");

    const [holder, other] = [await newHolder(), await newHolder()];
    const foreign = { ...holder, clientId: other.clientId };
    const nonce = await nonceFor(foreign);
    const proof = await sign(foreign, claimsFor(foreign, nonce));
    expect(outcome(await present(foreign, proof))).toBe("404 client-not-found");
    const { token } = await newReader({ prefix: stack.prefix });
    expect(outcome(await present({ ...holder, token }, proof))).toBe("404 client-not-found");
  });
});

it("an access token for a device is issued although DynamoDB's answers get lost", async () => {
  const holder = await newHolder();
  const proof = await sign(holder, claimsFor(holder, await nonceFor(holder)));
  expect(outcome(await withLostAnswers(() => present(holder, proof)))).toBe("200");
});

it("an expired nonce and an expired proof are refused", async () => {
  const holder = await newHolder();
  const old = await nonceFor(holder);
  stack.advance(301);
  expect(outcome(await present(holder, await sign(holder, claimsFor(holder, old))))).toBe(
    "400 client-token-bad-nonce",
  );
  const proof = await sign(holder, claimsFor(holder, await nonceFor(holder)));
  stack.advance(121);
  expect(outcome(await present(holder, proof))).toBe("400 client-token-bad-time");
});

it("an access token for a device is refused with 404 no-server-key-bundle without a server key", async () => {
  const user = await (await newTeam()).add();
  const json = { handle: `ada.${randomUUID().slice(0, 8)}` };
  await api("PUT", "/self/handle", { token: user.token, json });
  const { body } = await registerDevice(user);
  const path = `/v8/clients/${body.id}/access-token`;
  const { token } = user;
  expect(outcome(await api("POST", path, { token, headers: { DPoP: "x" } }))).toBe(
    "404 no-server-key-bundle",
  );
});
