import * as z from "zod";
import { storedObject } from "#shared/platform/data/stored-item.ts";

/** Message of the operator's queue for Cells. */
export const cellsNotification = storedObject({
  /** UUIDv1, the same each time it is sent. */
  id: z.uuid(),
  payload: z.array(z.looseObject({})),
});
export type CellsNotification = z.infer<typeof cellsNotification>;
