/** The part of an error that clients can see. */
export interface ErrorRow {
  readonly status: number;
  readonly label: string;
  readonly message: string;
  /** Its name in SCIM (RFC 7644 §3.12). */
  readonly scimType?: string;
  /** Its word in OAuth (RFC 6749 §4.1.2.1, §5.2); absent: by its status. */
  readonly oauthError?: string;
  /** Integer fields of the body besides code, label and message. */
  readonly fields?: readonly string[];
  /**
   * Whether a status of 500 or above is deliberate, telling clients that something is switched off or not done yet,
   * rather than a fault.
   */
  readonly isDeliberate?: boolean;
  /** Whether the response has `Retry-After`. */
  readonly hasRetryAfter?: boolean;
}

/** A row's name is its label by default. Rows need labels of their own where one label has several statuses. */
type ErrorDeclaration = Omit<ErrorRow, "label"> & { readonly label?: string };

/** Completes rows of the catalogue; by default, the label is the name. */
export const defineErrors = <Name extends string>(
  declarations: Readonly<Record<Name, ErrorDeclaration>>,
): Readonly<Record<Name, ErrorRow>> => {
  const rows = Object.entries<ErrorDeclaration>(declarations).map(([name, row]) => [
    name,
    { label: name, ...row },
  ]);
  return Object.fromEntries(rows);
};
