/**
 * Changes of resources that lose nothing although the comparison says otherwise, each with the reason: such as a rule that
 * deletes objects of a new prefix. By the name of the finding.
 */
export const acceptedResourceChanges: Readonly<Record<string, string>> = {};
