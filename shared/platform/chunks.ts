/** Splits a list into consecutive chunks of `size` items; the last may be shorter. An empty list gives no chunks. */
export const chunks = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
