import { NIL } from "uuid";
import * as z from "zod";
import { cursorOf } from "#shared/platform/http/cursor.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";

/** Cursor in a user's list of conversations, which is ordered by their ids. */
export const conversationCursor = cursorOf("conversations", z.strictObject({ after: uuid }));

/** Cursor after a conversation; without one, before the first, because the nil UUID sorts before all ids. */
export const cursorAfter = (conversationId: string = NIL): string =>
  z.encode(conversationCursor, { after: conversationId });
