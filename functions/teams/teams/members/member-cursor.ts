import { NIL } from "uuid";
import * as z from "zod";
import { cursorOf } from "#shared/platform/http/cursor.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";

/** Cursor in a list of members, which is ordered by their ids. */
export const memberCursor = cursorOf("team-members", z.strictObject({ after: uuid }));

/** Cursor after a member; without a member, before the first, because the nil UUID sorts before all ids. */
export const cursorAfter = (userId: string = NIL): string => z.encode(memberCursor, { after: userId });
