import { channel } from "node:diagnostics_channel";
import type { TableName } from "../product.ts";

/** An item does not have the shape that this version reads. Names neither its key nor its contents. */
export class UnreadableItemError extends Error {
  override readonly name = "UnreadableItemError";
  readonly table: TableName;
  readonly kind: string;
  /** Names of the attributes that are not as expected. */
  readonly fields: readonly string[];

  constructor({ table, kind }: Pick<UnreadableItemError, "table" | "kind">, fields: readonly string[]) {
    super(`Cannot read an item of the table ${table}, kind ${kind}: see ${fields.join(", ")}`);
    this.table = table;
    this.kind = kind;
    this.fields = fields;
  }
}

/** Gets every `UnreadableItemError`, whether or not the item then counts as absent. */
export const unreadableItems = channel("parley.unreadable-items");
