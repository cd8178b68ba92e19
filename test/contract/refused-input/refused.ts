/** Values that an operation refuses, by its id or as `METHOD /path`, and similar values that it accepts. */
export type Refused<Value> = Readonly<
  Record<string, { readonly refused: readonly Value[]; readonly taken?: readonly Value[] }>
>;
