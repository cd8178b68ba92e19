import { NIL } from "uuid";
import * as z from "zod";
import { cursorOf } from "#shared/platform/http/cursor.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

/** Cursor in a list of connections, which is ordered by the other users' ids. */
export const connectionCursor = cursorOf("connections", z.strictObject({ after: wire.uuid }));

/** Cursor after a user; without one, before the first, because the nil UUID sorts before all ids. */
export const cursorAfter = (peerId: string = NIL): string => z.encode(connectionCursor, { after: peerId });
