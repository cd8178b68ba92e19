/**
 * Changes of stored items that a release survives although the comparison says otherwise, each with the reason: such as a
 * new value that this version reads but does not write yet. By the first sentence of the finding, without its full stop.
 */
export const acceptedItemChanges: Readonly<Record<string, string>> = {};
