import { createHash } from "node:crypto";
import { parse, stringify, v5 as uuidV5 } from "uuid";

/**
 * Ids derived from those of users, so that concurrent requests create the same conversation. Clients do not compute
 * them.
 */

/** The Proteus self conversation of a user has the user's id. */
export const selfConversationId = (userId: string) => userId;

const mlsSelfNamespace = "3eac2a2c-3850-510b-bd08-8a98e80dd4d9";

export const mlsSelfConversationId = (userId: string) => uuidV5(parse(userId), mlsSelfNamespace);

/** The Proteus conversation of two users, which exists from the request for a connection on. */
export const oneToOneConversationId = (one: string, other: string) =>
  hashedId("proteus", sorted(one, other), 4);

/** The MLS conversation of two users. */
export const mlsOneToOneConversationId = (one: string, other: string, domain: string) =>
  hashedId(
    "mls",
    sorted(one, other).map((id) => `${id}@${domain}`),
    5,
  );

const sorted = (one: string, other: string) => [one, other].toSorted();

/** First bytes of a hash, with the version and variant of a UUID (RFC 9562 §4). */
function hashedId(kind: string, parts: readonly string[], version: number): string {
  const text = `one-to-one#${kind}#${parts.join("#")}`;
  const bytes = createHash("sha256").update(text).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | (version << 4), 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return stringify(bytes);
}
