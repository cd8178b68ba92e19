/**
 * Changes of resources that lose nothing although the comparison reports them, each with the reason; for example, a
 * rule that deletes objects of a new prefix. Keys are the names of the findings.
 */
export const acceptedResourceChanges: Readonly<Record<string, string>> = {};
