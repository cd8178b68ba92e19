import { sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { HttpEvent } from "#shared/platform/http/request.ts";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { authenticate } from "./authenticate.ts";
import { JwtVerifier } from "./jwt.ts";
import { newSigningKeySet, toPrivateKey, verificationKeysOf } from "./signing-keys.ts";
import { TokenIssuer } from "./token-issuer.ts";
import { TokenVerifier } from "./token-verifier.ts";

const now = 2_000_000_000;
const settings = parseSettings({ domain: "parley.example.com", providerTokenTimeout: 900 });
const keys = newSigningKeySet();
const published = verificationKeysOf(keys, { keys: [] }, now - 10_000);
const secrets = {
  get: async (name: string, parse: (text: string) => unknown) =>
    parse(JSON.stringify(name === "signing-keys" ? keys : published)),
} as unknown as SecretReader;
const issuer = new TokenIssuer({ secrets, settings, clock: () => now * 1000 });

const providerId = "6f0c2c0e-3a51-4f7e-9d55-5f6c1e3f0a01";
const bot = {
  providerId,
  botId: "6f0c2c0e-3a51-4f7e-9d55-5f6c1e3f0a02",
  conversationId: "6f0c2c0e-3a51-4f7e-9d55-5f6c1e3f0a03",
};
const { text: providerToken, expiresAtSeconds } = await issuer.providerToken(providerId);
const botToken = await issuer.botToken(bot);
const { access_token: userToken } = await issuer.accessToken({ userId: providerId, connectionId: "1" });

/** Signs a token of an unknown class. */
function signedWith(parts: string): string {
  const content = `v=1.k=1.${parts}`;
  const signature = sign(null, Buffer.from(content), toPrivateKey(keys.keys[0]?.jwk ?? {}));
  return `${signature.toString("base64url")}==.${content}`;
}

interface Sent {
  readonly header?: string;
  readonly query?: string;
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const verifiersAt = (seconds: number) => {
  const context = { secrets, settings, clock: () => seconds * 1000 };
  return { verifier: new TokenVerifier(context), jwtVerifier: new JwtVerifier(context) };
};

const call = (
  auth: "provider" | "bot" | "user",
  { header, query, cookie, headers }: Sent,
  { seconds = now }: { seconds?: number } = {},
) =>
  authenticate(
    {
      headers: { ...headers, ...(header && { authorization: `Bearer ${header}` }) },
      rawQueryString: query === undefined ? "" : `access_token=${query}`,
      cookies: cookie === undefined ? [] : [`zprovider=${cookie}`],
      requestContext: {},
    } as unknown as HttpEvent,
    { auth },
    verifiersAt(seconds),
  );

const unauthenticated = expect.objectContaining({ error: "unauthenticated" });
const wrongClass = expect.objectContaining({ error: "token-class-forbidden" });

describe("a provider", () => {
  it("is read from the header, the query or its cookie, and the first one counts", async () => {
    for (const place of ["header", "query", "cookie"]) {
      expect(await call("provider", { [place]: providerToken }), place).toEqual({ providerId });
    }
    await expect(call("provider", { header: "garbage", cookie: providerToken })).rejects.toThrow(
      unauthenticated,
    );
    await expect(call("provider", { query: userToken, cookie: providerToken })).rejects.toThrow(wrongClass);
    await expect(call("provider", {})).rejects.toThrow(unauthenticated);
  });

  it("is logged out when its token expires", async () => {
    expect(expiresAtSeconds).toBe(now + 900);
    const sent = { header: providerToken };
    await expect(call("provider", sent, { seconds: now + 900 })).rejects.toThrow(unauthenticated);
  });
});

describe("a bot", () => {
  it("is recognised with its provider and conversation, however old its token is", async () => {
    expect(await call("bot", { header: botToken }, { seconds: now + 1e9 })).toEqual(bot);
  });
});

it.each([
  ["provider", { bot: botToken, user: userToken }],
  ["bot", { provider: providerToken, user: userToken }],
  ["user", { provider: providerToken, bot: botToken }],
] as const)("refuses tokens of other classes from a %s", async (auth, tokens) => {
  for (const [name, header] of Object.entries(tokens)) {
    await expect(call(auth, { header }), name).rejects.toThrow(wrongClass);
  }
});

it.each([
  ["user", userToken],
  ["provider", providerToken],
  ["bot", botToken],
] as const)("refuses everybody without a token of the service from a %s", async (auth, own) => {
  const presented: Record<string, Sent> = {
    nothing: {},
    garbage: { header: "garbage" },
    "garbage like a token": { header: `${"A".repeat(88)}.v=1.k=1.d=9999999999.t=a.l=.u=x.c=1` },
    "parts without a signature": { header: own.replace(/^[^.]*/, "") },
    "a forged signature": { header: own.replace(/^./, (first) => (first === "A" ? "B" : "A")) },
    "a long one": { header: "x".repeat(6000) },
    "a token of a directory": { header: Buffer.alloc(32, "scim").toString("base64") },
    "a token twice": { header: `${own} ${own}` },
    "another scheme": { headers: { authorization: `Basic ${own}` } },
    "the name of a user": { headers: { "z-user": providerId } },
  };
  for (const [name, sent] of Object.entries(presented))
    await expect(call(auth, sent), name).rejects.toThrow(unauthenticated);
});

it("an expired token of a user is refused, as is a token of a bot that can expire", async () => {
  await expect(call("user", { header: userToken }, { seconds: now + 1e6 })).rejects.toThrow(unauthenticated);
  const expiring = signedWith(
    `d=${now + 900}.t=b.l=.p=${bot.providerId}.b=${bot.botId}.c=${bot.conversationId}`,
  );
  await expect(call("bot", { header: expiring })).rejects.toThrow(unauthenticated);
});
