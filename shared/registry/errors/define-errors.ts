/** What a client can see of an error. */
export interface ErrorRow {
  readonly status: number;
  readonly label: string;
  readonly message: string;
  /** What SCIM calls it (RFC 7644 §3.12). */
  readonly scimType?: string;
  /** Integers that the body has in addition to code, label and message. */
  readonly fields?: readonly string[];
  /** Whether a status of 500 or above is not a fault, but tells clients that something is switched off. */
  readonly isDeliberate?: boolean;
  /** Whether the response says in `Retry-After` when to try again. */
  readonly hasRetryAfter?: boolean;
}

/** The name of a row is its label unless the row has another one: one label can occur under several statuses. */
type ErrorDeclaration = Omit<ErrorRow, "label"> & { readonly label?: string };

/** Completes rows of the catalogue, whose label is their name by default. */
export const defineErrors = <Name extends string>(
  declarations: Readonly<Record<Name, ErrorDeclaration>>,
): Readonly<Record<Name, ErrorRow>> => {
  const rows = Object.entries<ErrorDeclaration>(declarations).map(([name, row]) => [
    name,
    { label: name, ...row },
  ]);
  return Object.fromEntries(rows);
};
