import * as z from "zod";
import * as primitives from "#shared/schemas/primitives.ts";

/** Lies before the id of every user. */
const nilUuid = "00000000-0000-0000-0000-000000000000";

/** Place in a list of connections, opaque to clients: parsed, the id of the user after whom the list goes on. */
export const pagingState = z
  .base64url()
  .transform((text) => Buffer.from(text, "base64url").toString())
  .pipe(primitives.uuid);

/** The place after a user; undefined: that before all. */
export const toPagingState = (peerId = nilUuid) => Buffer.from(peerId).toString("base64url");
