/**
 * Changes of stored items that are safe although the comparison reports them, each with the reason; for example, a new
 * value that this version reads but does not write yet. Keys are the first sentences of the findings, without their
 * full stops.
 */
export const acceptedItemChanges: Readonly<Record<string, string>> = {};
