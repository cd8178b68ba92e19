import { XmlError } from "./xml-error.ts";

/**
 * Limits beyond which parsing and later steps take disproportionately long. Documents with many attributes of a person
 * stay far below them.
 */
export const markupLimits = {
  /** Elements, attributes, comments and sections of character data. */
  parts: 50_000,
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
  for (let start = text.indexOf("<"); start >= 0; ) {
    const section = sections.find(({ opening }) => text.startsWith(opening, start));
    if (section !== undefined) {
      check("parts", ++parts, partNames);
      start = text.indexOf("<", endOf(text, section.closing, start + section.opening.length));
      continue;
    }
    const isEnd = text[start + 1] === "/";
    const { end, attributes, declarations, namespaceName } = readTag(text, start + 1);
    if (isEnd) namespaces.pop();
    else {
      check("attributes", attributes, "attributes of an element");
      parts += 1 + attributes;
      check("parts", parts, partNames);
      const inForce = (namespaces.at(-1) ?? 0) + declarations;
      check("namespaces", inForce, "namespaces in force at an element");
      check("namespaceName", namespaceName, "characters in the name of a namespace");
      check("names", names.add(nameAt(text, start + 1)).size, "different names of elements");
      if (text[end - 2] !== "/") namespaces.push(inForce);
      check("depth", namespaces.length - 1, "elements within each other");
    }
    start = text.indexOf("<", end);
  }
}

function check(limit: keyof typeof markupLimits, count: number, what: string): void {
  if (count > markupLimits[limit]) throw new XmlError(`more than ${markupLimits[limit]} ${what}`);
}

const partNames = "elements, attributes, comments and sections";

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
