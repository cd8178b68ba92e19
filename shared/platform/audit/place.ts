import type { Item } from "../data/table.ts";
import { type AuditRecord, auditRecord } from "./audit-record.ts";

/** A change by its place among others: its time and, after `#`, its id. */
export interface PlacedRecord {
  readonly place: string;
  readonly record: AuditRecord;
}

/** A range of changes. */
export interface ChangeRange {
  /** Place of the last change before, or a time. */
  readonly after: string;
  /** Time, exclusive. */
  readonly before: string;
}

/** Search for records of all chains: by a network, or by part of an operator's ARN. */
export type Cause = { readonly network: string } | { readonly principal: string };

/** The time with which a place begins. */
export const timeOf = (place: string): string => place.slice(0, "2026-11-27T05:00:00.000Z".length);

/** The chain and the place of a record. */
export function splitEntry({ entry }: Item): { chain: string; place: string } {
  const text = String(entry);
  const end = text.indexOf("#");
  return { chain: text.slice(0, end), place: text.slice(end + 1) };
}

/** A change in the form in which it is stored. */
export function toPlaced(item: Item): PlacedRecord {
  const { entry: _, ...record } = auditRecord.parse(item);
  return { place: splitEntry(item).place, record };
}
