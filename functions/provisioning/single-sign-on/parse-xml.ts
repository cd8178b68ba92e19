import { DOMParser } from "@xmldom/xmldom";
import { checkMarkup, XmlError } from "./check-markup.ts";

interface Limits {
  /** Maximum number of characters. */
  readonly maxLength: number;
}

/**
 * Parse a SAML document strictly: warnings of the parser are errors. Processing instructions and document type
 * declarations, and with them entities, are refused before parsing, and so is markup that would cost disproportionately
 * much.
 *
 * @returns the root element
 * @throws XmlError
 */
export function parseXml(text: string, { maxLength }: Limits): Element {
  if (text.length > maxLength) throw new XmlError(`more than ${maxLength} characters`);
  if (!text.isWellFormed() || illegalCharacter.test(text)) throw new XmlError("not a text");
  const body = text.replace(declaration, "");
  if (forbiddenMarkup.test(body)) throw new XmlError("a declaration or an instruction");
  checkMarkup(body);
  if (!body.trimStart().startsWith("<")) throw new XmlError("text before the root");
  const document = parse(body);
  const root = document.documentElement;
  if (root === null) throw new XmlError("no element");
  const besides = Array.from(document.childNodes).filter((node) => node !== root);
  if (!besides.every(isComment)) throw new XmlError("text after the root");
  return root;
}

/** Characters that XML does not allow (XML 1.0 §2.2). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const illegalCharacter = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;
/** The XML declaration at the beginning, which is accepted: the text has been decoded already. */
const declaration = /^\s*<\?xml\s[^<>?]*\?>/;
/** Processing instructions and declarations: otherwise, `<!` begins only comments and character data. */
const forbiddenMarkup = /<\?|<!(?!--|\[CDATA\[)/;

function parse(text: string): Document {
  const refuse = (message: string) => {
    throw new XmlError(message);
  };
  const parser = new DOMParser({ errorHandler: { warning: refuse, error: refuse, fatalError: refuse } });
  try {
    return parser.parseFromString(text, "text/xml");
  } catch (cause) {
    throw new XmlError("not well-formed", { cause });
  }
}

/** Child elements with a name, in the order of the document. */
export const childrenNamed = (parent: Element, namespace: string, name: string): Element[] =>
  childElements(parent).filter((child) => child.namespaceURI === namespace && child.localName === name);

/** All child elements, in the order of the document. */
export const childElements = (parent: Element): Element[] =>
  Array.from(parent.childNodes).filter((node): node is Element => node.nodeType === elementNode);

const elementNode = 1;
const commentNode = 8;

/** Also counts white space, which the parser keeps as a text node. */
const isComment = ({ nodeType, nodeValue }: Node) => nodeType === commentNode || nodeValue?.trim() === "";
