import type { TableName } from "./tables.ts";

/** The change of an item. */
export interface ItemChange {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly remove?: readonly string[];
}

/**
 * A change of stored items that the code of a version needs: run by `npm run migrate` before that version is deployed, while
 * the one before is running.
 */
export interface Migration {
  /** 1, 2, 3 …: never used again. */
  readonly id: number;
  /** Its effect, as a sentence without the full stop. */
  readonly summary: string;
  readonly table: TableName;
  /** Attributes that `change` reads: it is called again when somebody else has changed one of them. */
  readonly reads: readonly string[];
  /**
   * Decides the change of an item by the attributes that it `reads` and the keys. Must be idempotent.
   * @returns undefined for an item that needs nothing
   */
  change(item: Readonly<Record<string, unknown>>): ItemChange | undefined;
}

/** Every migration, in the order of the ids. Those of a release stay for the release after it. */
export const migrations: readonly Migration[] = [];
