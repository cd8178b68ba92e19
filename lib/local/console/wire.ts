// The data that the console's server sends to its pages. This file imports nothing that only Node has.
import type { Trace } from "./requests/trace-log.ts";

/** A request as the console lists it. */
export interface RequestSummary {
  readonly id: string;
  /** Time of arrival, ISO 8601. */
  readonly at: string;
  /** `public`, `internal` or `sockets`. */
  readonly api: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly functionName: string | undefined;
  /** Label of an error; with SCIM and OAuth, its equivalent. */
  readonly label: string | undefined;
}

/** A body without its secrets. */
export interface ShownBody {
  readonly type: string;
  readonly bytes: number;
  /** Text, or base64 of an MLS message; undefined when there is nothing to show. */
  readonly text: string | undefined;
}

/** A request as the console shows it in full, without its secrets. */
export interface RequestDetail extends RequestSummary, Trace {
  readonly operation: string | undefined;
  readonly caller: string;
  readonly query: string;
  readonly requestBody: ShownBody | undefined;
  readonly answerBody: ShownBody | undefined;
  readonly canBeRepeated: boolean;
  /** The likely mistake, if the answer cannot name it. */
  readonly hint: string | undefined;
}

/** A text, with an optional link to the thing that it names. */
export type Cell = string | { readonly text: string; readonly href: string };

/** A table of the console. */
export interface DataTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Shown when there are no rows: why, and what to do. */
  readonly empty?: string;
  /** Cursor of the next page; absent after the last. */
  readonly next?: string | undefined;
}

/** A page about stored data. */
export interface DataPage {
  readonly title: string;
  /** An introduction in prose. */
  readonly about?: string;
  readonly facts?: readonly (readonly [string, Cell])[];
  readonly tables: readonly DataTable[];
  /** Commands for an entry, to be run in a terminal. */
  readonly commands?: readonly { readonly does: string; readonly command: string }[];
}
