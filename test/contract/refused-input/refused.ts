/** What an operation refuses, by id or as `METHOD /path`, and what it takes although it is close to that. */
export type Refused<Value> = Readonly<
  Record<string, { readonly refused: readonly Value[]; readonly taken?: readonly Value[] }>
>;
