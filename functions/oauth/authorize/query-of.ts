/** The query with those parameters that a request has. */
export const queryOf = (parameters: Readonly<Record<string, string | undefined>>): string =>
  new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ).toString();
