import { domainToASCII, domainToUnicode } from "node:url";

/** Characters of a domain. Node would decode others, strip them, or take them for other parts of a URL. */
const domainPattern = /^[\p{L}\p{M}\p{N}.。．｡\u00b7\u0375\u05f3\u05f4\u30fb\u200c-\u200d-]+$/u;

const plainPattern = /^[a-z0-9.-]*$/;

/** Maximum length of a domain in decomposed form: checking a longer one would take the square of its length. */
const longestWritten = 4 * 253;

/** Labels of letters, digits and hyphens, 63 characters at most (RFC 1035 §2.3.4); the last one is not a number. */
const namePattern =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The ASCII form of a domain name with two labels or more, as IDNA 2008 allows them; undefined for anything else. All
 * spellings of a domain have the same.
 */
export function parseDomain(text: string): string | undefined {
  const lowerCase = text.toLowerCase();
  if (plainPattern.test(lowerCase) && !lowerCase.includes("xn--"))
    return namePattern.test(lowerCase) ? lowerCase : undefined;
  if (text.length > longestWritten || !domainPattern.test(text)) return undefined;
  // UTS 46 maps all spellings to one, but allows more than IDNA 2008, such as symbols.
  const domain = domainToASCII(text);
  if (!namePattern.test(domain)) return undefined;
  const unicode = domainToUnicode(domain);
  return unicode.split(".").every(isLabel) && domainToASCII(unicode) === domain ? domain : undefined;
}

const plainLabel = /^(?!xn--)[a-z0-9-]+$/;

/** Letters and digits, with and without the exceptions of RFC 5892 §2.6; hyphens as in RFC 5891 §4.2.3.1. */
const idnLabel =
  /^(?!-|..--)(?:[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}\u3007-](?<![\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b]))*(?<!-)$/u;

/** Characters that are allowed only next to certain others (RFC 5892 appendix A). UTS 46 has checked the joiners. */
const contextual =
  /[\u200c-\u200d]|(?<=l)\u00b7(?=l)|\u0375(?=\p{Script=Greek})|(?<=\p{Script=Hebrew})[\u05f3\u05f4]|(?<=[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}].*)\u30fb|\u30fb(?=.*[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}])/gu;

/** Arabic-Indic digits of both kinds, which look alike (RFC 5892 A.8, A.9). */
const mixedDigits = /[\u0660-\u0669].*[\u06f0-\u06f9]|[\u06f0-\u06f9].*[\u0660-\u0669]/;

/** Whether a label, in Unicode, has only what IDNA 2008 permits. */
const isLabel = (label: string): boolean =>
  plainLabel.test(label) || (idnLabel.test(label.replace(contextual, "")) && !mixedDigits.test(label));
