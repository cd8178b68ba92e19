import * as z from "zod";
import { cursorOf } from "#shared/platform/http/cursor.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

/** Cursor in a list of connections, which is in the order of the other users' ids. */
export const connectionCursor = cursorOf("connections", z.strictObject({ after: wire.uuid }));

/** Sorts before the id of every user. */
const nilUuid = "00000000-0000-0000-0000-000000000000";

/** Cursor after a user; without one, before the first. */
export const cursorAfter = (peerId = nilUuid): string => z.encode(connectionCursor, { after: peerId });
