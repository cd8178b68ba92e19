import { type KeyObject, sign, verify } from "node:crypto";
import { isSameSecret } from "#shared/platform/secrets/is-same-secret.ts";

/**
 * Login tokens (spec heading Tokens): `<signature>.v=1.k=…​.d=…​.t=…​.l=…​.u=…`, the Ed25519 signature in base64url over
 * all that follows its dot. Clients read the parts, so their order and names are fixed.
 */
type TokenType = "access" | "cookie" | "legalhold-access" | "legalhold-cookie";

/** The content of a login token. */
export interface Token {
  readonly type: TokenType;
  readonly keyIndex: number;
  readonly expiresAtSeconds: number;
  /** True on cookies that end with the browser session. */
  readonly isSession: boolean;
  readonly userId: string;
  /** Device to which the token is tied. */
  readonly clientId?: string;
  /** Access tokens only: unsigned 64-bit integer in decimal. */
  readonly connectionId?: string;
  /** Cookies only: unsigned 32-bit integer. */
  readonly cookieId?: number;
}

const typeLetters = { access: "a", cookie: "u", "legalhold-access": "la", "legalhold-cookie": "lu" } as const;
const typesByLetter = new Map(
  Object.entries(typeLetters).map(([type, letter]) => [letter, type as TokenType]),
);

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const signatureLength = 88;

/** Writes and signs a login token. */
export function signToken(token: Token, privateKey: KeyObject): string {
  const parts = [
    ["v", "1"],
    ["k", String(token.keyIndex)],
    ["d", String(token.expiresAtSeconds)],
    ["t", typeLetters[token.type]],
    ["l", token.isSession ? "s" : ""],
    ["u", token.userId],
    ["i", token.clientId],
    ["c", token.connectionId],
    ["r", token.cookieId?.toString(16).padStart(8, "0")],
  ];
  const content = parts
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
    .join(".");
  return `${encodeSignature(sign(null, Buffer.from(content), privateKey))}.${content}`;
}

const encodeSignature = (signature: Buffer) => signature.toString("base64url").padEnd(signatureLength, "=");

/** Parses a login token without verifying it; returns undefined for a malformed text. */
export function parseToken(text: string): Token | undefined {
  const [, ...parts] = text.split(".");
  const fields = new Map(
    parts.map((part) => {
      const equals = part.indexOf("=");
      return [part.slice(0, equals), part.slice(equals + 1)];
    }),
  );
  if (fields.size !== parts.length) return undefined;
  const type = typesByLetter.get((fields.get("t") ?? "") as "a");
  const userId = fields.get("u") ?? "";
  const keyIndex = Number(fields.get("k") ?? Number.NaN);
  const expiresAtSeconds = Number(fields.get("d") ?? Number.NaN);
  const cookieId = fields.get("r");
  const isWellFormed =
    fields.get("v") === "1" &&
    uuid.test(userId) &&
    Number.isSafeInteger(keyIndex) &&
    Number.isSafeInteger(expiresAtSeconds) &&
    (cookieId === undefined || /^[0-9a-f]{1,8}$/.test(cookieId));
  if (type === undefined || !isWellFormed) return undefined;
  return {
    type,
    keyIndex,
    expiresAtSeconds,
    isSession: fields.get("l") === "s",
    userId,
    clientId: fields.get("i"),
    connectionId: fields.get("c"),
    cookieId: cookieId === undefined ? undefined : Number.parseInt(cookieId, 16),
  };
}

/**
 * Whether the key with the token's index signed exactly this text. A private key signs the text again: Ed25519 makes the
 * same signature each time (RFC 8032 §5.1.6), in a third of the time that it takes to check one with the public key.
 */
export function isSignedBy(text: string, key: KeyObject): boolean {
  const dot = text.indexOf(".");
  if (dot !== signatureLength) return false;
  const sent = text.slice(0, dot);
  const content = Buffer.from(text.slice(dot + 1));
  if (key.type === "private") return isSameSecret(sent, encodeSignature(sign(null, content, key)));
  const signature = Buffer.from(sent, "base64url");
  // Base64 can spell the same bytes in several ways; a token has one text.
  return encodeSignature(signature) === sent && verify(null, content, key, signature);
}
