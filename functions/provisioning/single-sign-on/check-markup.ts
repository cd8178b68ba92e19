/**
 * Limits beyond which parsing and later steps take disproportionately long. Documents with many attributes of a person
 * stay far below them.
 */
export const markupLimits = {
  /**
   * Elements, attributes, texts, comments and sections of character data. A signed part takes up to 13 µs of CPU, since it is
   * read, written in canonical form and read again. This has room for 7,000 values of attributes, or a third of that when each
   * declares namespaces.
   */
  parts: 15_000,
  /** Recursion over elements needs stack. */
  depth: 40,
  /** The parser compares each attribute of an element with all others. */
  attributes: 64,
  /** Namespaces in force at an element, which are copied for each child. */
  namespaces: 64,
  /** A canonical form repeats the name of a namespace for each element that uses it. */
  namespaceName: 256,
  /** The parser searches the whole text for the end of each name. */
  names: 400,
} as const;

/**
 * Count the markup of a document in one pass, without nesting anything.
 * @throws XmlError that names the limit, or when the markup is not well-formed
 */
export function checkMarkup(text: string): void {
  const names = new Set<string>();
  /** The number of namespaces that are in force, by depth. */
  const namespaces = [0];
  let parts = 0;
  const count = (more: number) => {
    parts += more;
    check("parts", parts, partNames);
  };
  for (let start = text.indexOf("<"), end = 0; start >= 0; start = text.indexOf("<", end)) {
    if (start > end) count(1);
    const section = sections.find(({ opening }) => text.startsWith(opening, start));
    if (section !== undefined) {
      count(1);
      end = endOf(text, section.closing, start + section.opening.length);
      continue;
    }
    const isEnd = text[start + 1] === "/";
    const tag = readTag(text, start + 1);
    end = tag.end;
    if (isEnd) namespaces.pop();
    else {
      check("attributes", tag.attributes, "attributes of an element");
      count(1 + tag.attributes);
      const inForce = (namespaces.at(-1) ?? 0) + tag.declarations;
      check("namespaces", inForce, "namespaces in force at an element");
      check("namespaceName", tag.namespaceName, "characters in the name of a namespace");
      check("names", names.add(nameAt(text, start + 1)).size, "different names of elements");
      if (text[end - 2] !== "/") namespaces.push(inForce);
      check("depth", namespaces.length - 1, "elements within each other");
    }
  }
}

function check(limit: keyof typeof markupLimits, count: number, what: string): void {
  if (count > markupLimits[limit]) throw new XmlError(`more than ${markupLimits[limit]} ${what}`);
}

const partNames = "elements, attributes, texts, comments and sections";

const sections = [
  { opening: "<!--", closing: "-->" },
  { opening: "<![CDATA[", closing: "]]>" },
] as const;

/** Where the next occurrence of a text ends. */
function endOf(text: string, closing: string, start: number): number {
  const found = text.indexOf(closing, start);
  if (found < 0) throw new XmlError("not well-formed");
  return found + closing.length;
}

interface Tag {
  readonly end: number;
  readonly attributes: number;
  /** Namespaces that it declares. */
  readonly declarations: number;
  /** Length of the longest name of these. */
  readonly namespaceName: number;
}

/** Each character is read once: attribute values are skipped by their quotes. */
function readTag(text: string, start: number): Tag {
  let attributes = 0;
  let declarations = 0;
  let namespaceName = 0;
  let isDeclaration = false;
  for (let next = start; ; ) {
    tagPart.lastIndex = next;
    const [found = ""] = tagPart.exec(text) ?? [];
    next = tagPart.lastIndex;
    if (found === ">") return { end: next, attributes, declarations, namespaceName };
    if (found === "xmlns") {
      declarations++;
      isDeclaration = true;
    } else if (found === '"' || found === "'") {
      attributes++;
      const end = endOf(text, found, next);
      if (isDeclaration) namespaceName = Math.max(namespaceName, end - found.length - next);
      isDeclaration = false;
      next = end;
    } else throw new XmlError("not well-formed");
  }
}

/** Characters that delimit a tag, and the beginning of a namespace declaration. */
const tagPart = /[<>"']|xmlns/g;

const nameAt = (text: string, start: number): string => {
  name.lastIndex = start;
  return name.exec(text)?.[0] ?? "";
};
const name = /[^\s/>]{0,256}/y;

/** The text is not XML, or has parts that no SAML document needs. */
export class XmlError extends Error {
  override readonly name = "XmlError";
}
