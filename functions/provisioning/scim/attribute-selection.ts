interface Selection {
  readonly attributes?: readonly string[];
  readonly excludedAttributes?: readonly string[];
}

/** Attributes that are in every answer. */
const alwaysReturned = ["schemas", "id"];

/** Creates a predicate: whether the client wants an attribute; a sub-attribute stands for the whole. */
export function attributeTest({ attributes, excludedAttributes = [] }: Selection): (name: string) => boolean {
  const [wanted, unwanted] = [attributes?.map(topLevelName), excludedAttributes.map(topLevelName)];
  return (name) =>
    alwaysReturned.includes(name) ||
    (wanted === undefined ? !unwanted.includes(name.toLowerCase()) : wanted.includes(name.toLowerCase()));
}

/** Keeps only the attributes that the client wants. */
export const selectAttributes = <Resource extends object>(
  resource: Resource,
  selection: Selection,
): Resource => {
  const isWanted = attributeTest(selection);
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isWanted(name))) as Resource;
};

/** `members` for `urn:…:2.0:Group:members.value`; the URN of an extension counts as a name. */
const topLevelName = (path: string): string =>
  path
    .toLowerCase()
    .replace(/^urn:ietf:params:scim:schemas:core:2\.0:\w+:/, "")
    .replace(/^([^:.]+)\..*$/, "$1");
