interface Selection {
  readonly attributes?: readonly string[];
  readonly excludedAttributes?: readonly string[];
}

/** Attributes that every answer has. */
const alwaysReturned = ["schemas", "id"];

/** Creates a test whether a client wants an attribute; a sub-attribute stands for the whole. */
export function attributeTest({ attributes, excludedAttributes = [] }: Selection): (name: string) => boolean {
  const [wanted, unwanted] = [attributes?.map(topLevelName), excludedAttributes.map(topLevelName)];
  return (name) =>
    alwaysReturned.includes(name) ||
    (wanted === undefined ? !unwanted.includes(name.toLowerCase()) : wanted.includes(name.toLowerCase()));
}

/** Keeps what the client wants of a resource. */
export const selectAttributes = <Resource extends object>(
  resource: Resource,
  selection: Selection,
): Resource => {
  const isWanted = attributeTest(selection);
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isWanted(name))) as Resource;
};

/** `members` for `urn:…:2.0:Group:members.value`; the URN of an extension is a name, too. */
const topLevelName = (path: string): string =>
  path
    .toLowerCase()
    .replace(/^urn:ietf:params:scim:schemas:core:2\.0:\w+:/, "")
    .replace(/^([^:.]+)\..*$/, "$1");
