import * as z from "zod";
import { cursorOf } from "#shared/platform/http/cursor.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";

/** Cursor in a list of members, which is in the order of their ids. */
export const memberCursor = cursorOf("team-members", z.strictObject({ after: uuid }));

/** Sorts before the id of every user. */
const nilUuid = "00000000-0000-0000-0000-000000000000";

/** Cursor after a member; without one, before the first. */
export const cursorAfter = (userId = nilUuid): string => z.encode(memberCursor, { after: userId });
