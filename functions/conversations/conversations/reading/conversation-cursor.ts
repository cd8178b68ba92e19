import * as z from "zod";
import { cursorOf } from "#shared/platform/http/cursor.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";

/** Cursor in a user's list of conversations, which is in the order of their ids. */
export const conversationCursor = cursorOf("conversations", z.strictObject({ after: uuid }));

/** Sorts before the id of every conversation. */
const nilUuid = "00000000-0000-0000-0000-000000000000";

/** Cursor after a conversation; without one, before the first. */
export const cursorAfter = (conversationId = nilUuid): string =>
  z.encode(conversationCursor, { after: conversationId });
