import { type KeyObject, sign, verify } from "node:crypto";
import { isSameSecret } from "#shared/platform/secrets/is-same-secret.ts";

/**
 * Tokens: `<signature>.v=1.k=…​.d=…​.t=…​.l=…​.u=…`, the Ed25519 signature in base64url over all that follows its dot.
 * Clients read the parts, so their order and names are fixed.
 */
export type Token = LoginToken | ProviderToken | BotToken;

/** A token before a key is chosen to sign it. */
export type UnsignedToken =
  | Omit<LoginToken, "keyIndex">
  | Omit<ProviderToken, "keyIndex">
  | Omit<BotToken, "keyIndex">;

/** The content of a user's token. */
export interface LoginToken {
  readonly type: "access" | "cookie" | "legalhold-access" | "legalhold-cookie";
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

/** The content of the token that a provider of services gets when it logs in. */
interface ProviderToken {
  readonly type: "provider";
  readonly keyIndex: number;
  readonly expiresAtSeconds: number;
  readonly providerId: string;
}

/** The content of a bot's token, which does not expire: it ends with the bot. */
export interface BotToken {
  readonly type: "bot";
  readonly keyIndex: number;
  readonly providerId: string;
  readonly botId: string;
  readonly conversationId: string;
}

const typeLetters = {
  access: "a",
  cookie: "u",
  "legalhold-access": "la",
  "legalhold-cookie": "lu",
  provider: "p",
  bot: "b",
} as const;
const typesByLetter = new Map(
  Object.entries(typeLetters).map(([type, letter]) => [letter, type as Token["type"]]),
);

/** Used instead of an expiry in tokens without one. */
const never = -1;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const signatureLength = 88;

/** Writes and signs a token. */
export function signToken(token: Token, privateKey: KeyObject): string {
  const parts = [
    ["v", "1"],
    ["k", String(token.keyIndex)],
    ["d", String(token.type === "bot" ? never : token.expiresAtSeconds)],
    ["t", typeLetters[token.type]],
    ["l", "isSession" in token && token.isSession ? "s" : ""],
    ...ownParts(token),
  ];
  const content = parts
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
    .join(".");
  return `${encodeSignature(sign(null, Buffer.from(content), privateKey))}.${content}`;
}

/** The parts of a class of tokens. */
function ownParts(token: Token): [name: string, value: string | undefined][] {
  switch (token.type) {
    case "provider":
      return [["p", token.providerId]];
    case "bot":
      return [
        ["p", token.providerId],
        ["b", token.botId],
        ["c", token.conversationId],
      ];
    default:
      return [
        ["u", token.userId],
        ["i", token.clientId],
        ["c", token.connectionId],
        ["r", token.cookieId?.toString(16).padStart(8, "0")],
      ];
  }
}

const encodeSignature = (signature: Buffer) => signature.toString("base64url").padEnd(signatureLength, "=");

/** Parses a token without verifying it; returns undefined for a malformed text. */
export function parseToken(text: string): Token | undefined {
  const [, ...parts] = text.split(".");
  if (!parts.every((part) => part.includes("="))) return undefined;
  const fields = new Map(
    parts.map((part) => {
      const equals = part.indexOf("=");
      return [part.slice(0, equals), part.slice(equals + 1)];
    }),
  );
  if (fields.size !== parts.length) return undefined;
  const type = typesByLetter.get((fields.get("t") ?? "") as "a");
  const keyIndex = Number(fields.get("k") ?? Number.NaN);
  const expiresAtSeconds = Number(fields.get("d") ?? Number.NaN);
  const isWellFormed =
    fields.get("v") === "1" && Number.isSafeInteger(keyIndex) && Number.isSafeInteger(expiresAtSeconds);
  if (type === undefined || !isWellFormed) return undefined;
  const providerId = fields.get("p") ?? "";
  switch (type) {
    case "provider":
      return uuid.test(providerId) ? { type, keyIndex, expiresAtSeconds, providerId } : undefined;
    case "bot": {
      const botId = fields.get("b") ?? "";
      const conversationId = fields.get("c") ?? "";
      const areIds = [providerId, botId, conversationId].every((id) => uuid.test(id));
      return areIds && expiresAtSeconds === never
        ? { type, keyIndex, providerId, botId, conversationId }
        : undefined;
    }
    default:
      return parseLoginToken(fields, { type, keyIndex, expiresAtSeconds });
  }
}

function parseLoginToken(
  fields: ReadonlyMap<string, string>,
  head: Pick<LoginToken, "type" | "keyIndex" | "expiresAtSeconds">,
): LoginToken | undefined {
  const userId = fields.get("u") ?? "";
  const cookieId = fields.get("r");
  if (!uuid.test(userId) || (cookieId !== undefined && !/^[0-9a-f]{1,8}$/.test(cookieId))) return undefined;
  return {
    ...head,
    isSession: fields.get("l") === "s",
    userId,
    clientId: fields.get("i"),
    connectionId: fields.get("c"),
    cookieId: cookieId === undefined ? undefined : Number.parseInt(cookieId, 16),
  };
}

/** The user whom a token names, without verifying it. */
export function userIdIn(text: string): string | undefined {
  const token = parseToken(text);
  return token && "userId" in token ? token.userId : undefined;
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
