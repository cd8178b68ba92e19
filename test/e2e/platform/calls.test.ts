import { createHmac } from "node:crypto";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { beforeAll, describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { newReader } from "../../support/events.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser } from "../../support/users.ts";

const path = "/calls/config/v2";
const udp = "turn:turn.example.com:3478?transport=udp";
const tcp = "turn:turn.example.com:3478?transport=tcp";
const tls = "turns:turn.example.com:5349?transport=tcp";

interface Server {
  readonly urls: readonly string[];
  readonly username: string;
  readonly credential: string;
}

const urlsOf = (servers: readonly Server[]) => servers.map(({ urls }) => urls[0]);

async function sharedSecret(name: string, prefix = "test"): Promise<string> {
  const secretsManager = new SecretsManagerClient();
  const { SecretString = "" } = await secretsManager.send(
    new GetSecretValueCommand({ SecretId: `${prefix}-${name}` }),
  );
  secretsManager.destroy();
  return SecretString;
}

/** The credential that a TURN or SFT server computes for its check. */
const expectedCredential = (secret: string, username: string) =>
  createHmac("sha512", secret).update(username).digest("base64");

const expiryIn = (username: string) => Number(/^d=(\d+)\./.exec(username)?.[1]);
const suffixIn = (username: string) => /\.r=([a-z]+)$/.exec(username)?.[1];

describe.concurrent("the call configuration", () => {
  it("lists the TURN servers, each with credentials that it can check", async () => {
    const { token } = await newReader();
    const secret = await sharedSecret("turn-secret");
    const { status, body } = await api("GET", path, { token });

    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(["ice_servers", "is_federating", "ttl"]);
    expect(body).toMatchObject({ ttl: 3600, is_federating: false });
    expect(urlsOf(body.ice_servers).sort()).toEqual([udp, tcp, tls].sort());
    for (const server of body.ice_servers as Server[]) {
      expect(Object.keys(server).sort()).toEqual(["credential", "urls", "username"]);
      expect(server.urls).toHaveLength(1);
      expect(server.username).toMatch(/^d=\d+\.v=1\.k=0\.t=s\.r=[a-z]{1,28}$/);
      expect(Math.abs(expiryIn(server.username) - Date.now() / 1000 - 21_600)).toBeLessThan(30);
      expect(server.credential).toBe(expectedCredential(secret, server.username));
    }
  });

  it("has a suffix that is always the same for one user and differs between users", async () => {
    const [ada, eve] = await Promise.all([newReader(), newReader()]);
    const suffixOf = async (token: string) =>
      suffixIn((await api("GET", path, { token })).body.ice_servers[0].username);
    const suffixes = [await suffixOf(ada.token), await suffixOf(ada.token), await suffixOf(eve.token)];

    expect(suffixes[0]).toBe(suffixes[1]);
    expect(suffixes[0]).not.toBe(suffixes[2]);
  });

  it("is shuffled for each request", async () => {
    const { token } = await newReader();
    const orders = new Set<string>();
    // Nearly always ends early: that six orders do not appear among 400 happens once in 10³¹ runs.
    for (let count = 0; count < 400 && orders.size < 6; count++) {
      orders.add(urlsOf((await api("GET", path, { token })).body.ice_servers).join());
    }
    expect(orders.size).toBe(6);
  });

  it("prefers UDP to TLS, and TLS to TCP, when it is limited", async () => {
    const { token } = await newReader();
    const limited = async (limit: number) =>
      urlsOf((await api("GET", `${path}?limit=${limit}`, { token })).body.ice_servers);

    expect(await limited(1)).toEqual([udp]);
    expect(await limited(2)).toEqual([udp, tls]);
    expect(await limited(3)).toEqual([udp, tls, tcp]);
    expect(await limited(10)).toEqual([udp, tls, tcp]);
  });

  it("has only UDP servers, without the transport, at /calls/config up to version 7", async () => {
    const { token } = await newReader();
    for (const prefix of ["", "/v0", "/v6", "/v7"]) {
      const { status, body } = await api("GET", `${prefix}/calls/config`, { token });
      expect(status).toBe(200);
      expect(body).toEqual({
        ice_servers: [
          {
            urls: ["turn:turn.example.com:3478"],
            username: expect.stringMatching(/^d=\d+\.v=1\.k=0\.t=s\.r=[a-z]+$/),
            credential: expect.any(String),
          },
        ],
        ttl: 3600,
      });
    }
    for (const prefix of ["/v8", "/v9"]) {
      expect((await api("GET", `${prefix}/calls/config`, { token })).status).toBe(404);
    }
  });
});

describe.concurrent("the call configuration with settings", () => {
  const sftUrl = "https://sft.example.com:8443";
  const setSft = { baseDomain: "does-not-exist.invalid" };
  /** A stack with a list of SFT servers, and credentials for them. */
  let rich: OwnStack;
  /** A stack without TURN over UDP, and with SFT servers that cannot be found. */
  let poor: OwnStack;

  beforeAll(async () => {
    const servers = ["a", "b", "c", "d"].flatMap((host) => [
      `turn:${host}.example:3478?transport=udp`,
      `turn:${host}.example:3478?transport=tcp`,
      `turns:${host}.example:5349?transport=tcp`,
    ]);
    [rich, poor] = await Promise.all([
      stackWith({
        turn: { servers, configTTL: 60, tokenTTL: 120 },
        setSftStaticUrl: sftUrl,
        setSft,
        setSftListAllServers: "enabled",
        sftToken: { ttl: 900 },
      }),
      stackWith({ turn: { servers: [tcp] }, setSft }),
    ]);
  });

  const configOf = async (stack: OwnStack, target = path) =>
    stack.publicApi("GET", target, { token: (await newUser({}, stack)).token });

  it("alternates between transports as long as each has servers left", async () => {
    const { body } = await configOf(rich, `${path}?limit=7`);
    const kinds = urlsOf(body.ice_servers).map((url = "") => url.replace(/:.*\?transport=/, " "));

    const round = ["turn udp", "turns tcp", "turn tcp"];
    expect(kinds).toEqual([...round, ...round, "turn udp"]);
    expect(new Set(urlsOf(body.ice_servers)).size).toBe(7);
    expect(body.ttl).toBe(60);
    expect(Math.abs(expiryIn(body.ice_servers[0].username) - Date.now() / 1000 - 120)).toBeLessThan(30);
  });

  it("contains the SFT server in both lists, with credentials that it can check", async () => {
    const secret = await sharedSecret("sft-secret", rich.prefix);
    const { body } = await configOf(rich);

    expect(body.sft_servers).toEqual([
      { urls: [sftUrl], username: expect.any(String), credential: expect.any(String) },
    ]);
    expect(body.sft_servers_all).toEqual(body.sft_servers);
    const [{ username, credential }] = body.sft_servers;
    expect(username).toMatch(/^d=\d+\.v=1\.k=0\.s=1\.r=[a-z]{1,28}$/);
    expect(Math.abs(expiryIn(username) - Date.now() / 1000 - 900)).toBeLessThan(30);
    expect(credential).toBe(expectedCredential(secret, username));
    expect(suffixIn(username)).toBe(suffixIn(body.ice_servers[0].username));
  });

  it("omits SFT servers at /calls/config", async () => {
    const { body } = await configOf(rich, "/calls/config");
    expect(Object.keys(body).sort()).toEqual(["ice_servers", "ttl"]);
    expect(urlsOf(body.ice_servers).sort()).toEqual(
      ["a", "b", "c", "d"].map((host) => `turn:${host}.example:3478`),
    );
  });

  it("omits SFT servers that DNS does not know", async () => {
    const { status, body } = await configOf(poor);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(["ice_servers", "is_federating", "ttl"]);
  });

  it("returns 500 internal-server-error at /calls/config without a TURN server by UDP", async () => {
    expect(outcome(await configOf(poor, "/calls/config"))).toBe("500 internal-server-error");
  });
});
