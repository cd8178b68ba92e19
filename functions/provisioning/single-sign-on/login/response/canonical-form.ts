import { C14nCanonicalization, ExclusiveCanonicalization, type NamespacePrefix } from "xml-crypto";
import { childElements } from "../../parse-xml.ts";

const inclusive = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
const exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#";

/** The known algorithms. Comments are not part of what a reference by id selects (XML-DSig 4.4.3.3). */
export const canonicalizations = [
  inclusive,
  `${inclusive}#WithComments`,
  exclusive,
  `${exclusive}WithComments`,
] as const;

export const exclusiveNamespace = exclusive;

/**
 * Write an element in canonical form, with the namespaces that are declared around it, and without its comments.
 * @param method the element that names the algorithm, and prefixes to be included; undefined: the inclusive one
 */
export function canonicalForm(element: Element, method: Element | undefined): string {
  const options = {
    ancestorNamespaces: namespacesAround(element),
    inclusiveNamespacesPrefixList: method === undefined ? [] : includedPrefixes(method),
  };
  const isExclusive = method?.getAttribute("Algorithm")?.startsWith(exclusive) === true;
  return isExclusive
    ? new ExclusiveForm().process(element, options)
    : withXmlAttributesAround(element, () => new InclusiveForm().process(element, options));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** In place of the order of a language, in which `a` comes before `B`. */
const comparePrefixes = (a: NamespacePrefix, b: NamespacePrefix) => compare(a.prefix, b.prefix);

/** In place of the order of namespace and name as one text, in which the end of a shorter namespace does not count. */
const compareAttributes = (a: Attr, b: Attr) =>
  compare(a.namespaceURI ?? "", b.namespaceURI ?? "") || compare(a.localName, b.localName);

/** The library's algorithm, with the order of Canonical XML 1.0 §2.2. */
class InclusiveForm extends C14nCanonicalization {
  override nsCompare = comparePrefixes;
  override attrCompare = compareAttributes;
}

class ExclusiveForm extends ExclusiveCanonicalization {
  override nsCompare = comparePrefixes;
  override attrCompare = compareAttributes;
}

/**
 * Call a function while an element has the attributes around it that are about XML itself, such as `xml:lang`: its inclusive
 * form has them (Canonical XML 1.0 §2.4).
 */
function withXmlAttributesAround<T>(element: Element, call: () => T): T {
  const added: string[] = [];
  for (let parent = element.parentNode; parent?.nodeType === elementNode; parent = parent.parentNode)
    for (const { name, namespaceURI, value } of Array.from((parent as Element).attributes))
      if (name.startsWith("xml:") && !element.hasAttribute(name)) {
        element.setAttributeNS(namespaceURI, name, value);
        added.push(name);
      }
  try {
    return call();
  } finally {
    for (const name of added) element.removeAttribute(name);
  }
}

function includedPrefixes(method: Element): string[] {
  const [list] = childElements(method);
  return (list?.getAttribute("PrefixList") ?? "").split(/\s+/).filter((prefix) => prefix !== "");
}

/** Namespaces that are in force outside of an element, apart from those that it declares itself. */
function namespacesAround(element: Element): NamespacePrefix[] {
  const found = new Map<string, string>();
  for (let parent = element.parentNode; parent?.nodeType === elementNode; parent = parent.parentNode)
    for (const [prefix, namespaceURI] of declarationsOf(parent as Element))
      if (!found.has(prefix)) found.set(prefix, namespaceURI);
  for (const [prefix] of declarationsOf(element)) found.delete(prefix);
  // The algorithms write the namespace of the element itself.
  found.delete(element.prefix ?? "");
  return [...found]
    .filter(([, namespaceURI]) => namespaceURI !== "")
    .map(([prefix, namespaceURI]) => ({ prefix, namespaceURI }));
}

const elementNode = 1;

const declarationsOf = ({ attributes }: Element): [prefix: string, namespaceURI: string][] =>
  Array.from(attributes).flatMap(({ name, value }) => {
    if (name === "xmlns") return [["", value]];
    return name.startsWith("xmlns:") ? [[name.slice("xmlns:".length), value]] : [];
  });
