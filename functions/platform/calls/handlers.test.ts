import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import {
  byTransport,
  iceServersFor,
  isUdp,
  sftCredentials,
  shuffled,
  turnCredentials,
  userSuffix,
} from "./handlers.ts";

const secrets: Pick<SecretReader, "text"> = { text: async () => "a shared secret" };

it.each([{}, { limit: 3 }, { isLegacy: true }])(
  "listing TURN servers throws no-call-servers when no TURN servers are configured (%j)",
  async (request) => {
    const deps = { clock: Date.now, secrets, settings: parseSettings({}) };
    const configuration = iceServersFor(deps, "0190a5b8-7f6e-7d43-8a51-3c2a9be0d1f4", request);
    await expect(configuration).rejects.toMatchObject({ error: "no-call-servers" });
  },
);

const udp = (host: string) => `turn:${host}:3478?transport=udp`;
const tcp = (host: string) => `turn:${host}:3478?transport=tcp`;
const tls = (host: string) => `turns:${host}:5349?transport=tcp`;

describe("servers by transport", () => {
  it("alternate between UDP, TLS and TCP", () => {
    const servers = [tcp("a"), tcp("b"), tls("c"), udp("d"), udp("e"), tls("f")];
    expect(byTransport(servers)).toEqual([udp("d"), tls("c"), tcp("a"), udp("e"), tls("f"), tcp("b")]);
  });

  it("continue with the remaining transports when one runs out", () => {
    expect(byTransport([tls("a"), udp("b"), udp("c"), udp("d")])).toEqual([
      udp("b"),
      tls("a"),
      udp("c"),
      udp("d"),
    ]);
    expect(byTransport([tcp("a"), tcp("b")])).toEqual([tcp("a"), tcp("b")]);
    expect(byTransport([])).toEqual([]);
  });

  it("count as UDP when they name no transport, unless they use TLS", () => {
    const servers = ["turn:a:1", "turns:a:1", udp("a"), tcp("a"), tls("a"), "turns:a:1?transport=udp"];
    expect(servers.filter(isUdp)).toEqual(["turn:a:1", udp("a")]);
  });
});

describe("a shuffled list", () => {
  it("has the same items, in every order equally often", () => {
    const items = ["a", "b", "c"];
    const counts = new Map<string, number>();
    for (let round = 0; round < 6000; round++) {
      const order = shuffled(items).join("");
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual(["abc", "acb", "bac", "bca", "cab", "cba"]);
    // Seven standard deviations.
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(200);
    expect(items).toEqual(["a", "b", "c"]);
  });
});

// Computed independently of this code, with Python's hashlib and hmac.
const userId = "0190a5b8-7f6e-7d43-8a51-3c2a9be0d1f4";
const suffix = "capedrufebqbwazjdctzcrrcivyk";
const expiresAt = 1_700_000_000;

describe("call credentials", () => {
  it("are signed in the format that TURN servers expect", () => {
    expect(turnCredentials("a shared secret", userId, expiresAt)).toEqual({
      username: `d=1700000000.v=1.k=0.t=s.r=${suffix}`,
      credential: "w6vlrc+LsT12ZKi03Q97xUEEEZWwZ8gMz6tzflgBlmSqdhfZJ1mwtkF4nw0uBUNKBQMB3fH3TuVGoTy4tB3VSQ==",
    });
  });

  it("tell SFT servers whether the user may hold conferences", () => {
    const credentialsOf = (mayConfer: boolean) =>
      sftCredentials("a shared secret", userId, { expiresAt, mayConfer });
    expect(credentialsOf(true)).toEqual({
      username: `d=1700000000.v=1.k=0.s=1.r=${suffix}`,
      credential: "XzKZcYRpCW2JtE91FxzXM9/oCYjivOcchJhcmQaNrRg7m9H2iponmdw4emwwGtTNkVRQjA0lMvbU0ue61g+HVQ==",
    });
    expect(credentialsOf(false).username).toBe(`d=1700000000.v=1.k=0.s=0.r=${suffix}`);
  });

  it("end in a suffix that is stable for one user and differs between users", () => {
    expect(userSuffix(userId.toUpperCase())).toBe(suffix);
    const suffixes = Array.from({ length: 500 }, () => userSuffix(randomUUID()));
    for (const one of suffixes) expect(one).toMatch(/^[a-z]{1,28}$/);
    expect(new Set(suffixes).size).toBe(500);
  });
});
