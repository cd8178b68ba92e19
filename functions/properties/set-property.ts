import { retryStale } from "#shared/data/conditions.ts";
import { answerBytes, type Property } from "#shared/data/property/property.ts";
import { ApiError } from "#shared/errors.ts";
import { userPropertiesSet } from "#shared/events/user-properties.ts";
import { parseExactJson } from "#shared/exact-json.ts";
import type { Actor } from "#shared/http/route.ts";
import { commitWithMessages } from "#shared/messaging/commit-with-messages.ts";
import type { Deps } from "./deps.ts";

/** Properties of one user (spec heading Properties). */
const maxProperties = 16;

/** Of all values together, so that one answer can list them: Lambda returns up to 6 MB. */
const maxTotalBytes = 5 * 1024 * 1024;

/**
 * Set a property to any JSON value. Its numbers are kept digit by digit.
 *
 * @throws ApiError `property-key-too-large`, `too-many-properties`; `property-value-too-large` also when all values
 *   together are; `not-found` for a deleted account
 * @see operation `set-property`
 */
export async function setProperty(
  { accounts, client, events, properties, settings }: Deps,
  actor: Actor,
  { key, text }: { key: string; text: string },
): Promise<void> {
  if (key.length > settings.setPropertyMaxKeyLen) throw new ApiError("property-key-too-large");
  if (Buffer.byteLength(text) > settings.setPropertyMaxValueLen) {
    throw new ApiError("property-value-too-large");
  }
  const { userId } = actor;
  const value = parseExactJson(text);
  const json = JSON.stringify(value);
  await retryStale(async () => {
    const index = await properties.index(userId);
    const others = index.properties.filter((property) => property.key !== key);
    if (others.length >= maxProperties) throw new ApiError("too-many-properties");
    if (totalBytes(others) + answerBytes(json) > maxTotalBytes) {
      throw new ApiError("property-value-too-large", { message: "The properties are too large together" });
    }
    const messages = events.stage(
      userPropertiesSet,
      { key, value },
      { sender: userId, recipients: [{ userId }], origin: actor },
    );
    await commitWithMessages(
      client,
      [...properties.set(index, key, json), accounts.requireNotDeleted(userId)],
      messages,
    );
  });
}

const totalBytes = (properties: readonly Property[]) =>
  properties.reduce((total, { bytes }) => total + bytes, 0);
