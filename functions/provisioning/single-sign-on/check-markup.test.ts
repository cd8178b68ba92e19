import { describe, expect, it } from "vitest";
import { checkMarkup, markupLimits } from "./check-markup.ts";
import { parseXml } from "./parse-xml.ts";

const megabyte = 1024 * 1024;
const times = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join("");
/** As many as fit into a megabyte. */
const filling = (write: (index: number) => string) => times(Math.floor(megabyte / write(0).length), write);
const within = (xml: string) => `<r>${xml}</r>`;
const attributes = (count: number, name = "a") => times(count, (index) => ` ${name}${index}="b"`);

describe("the markup of a document", () => {
  it.each([
    ["elements", within("<a/>".repeat(markupLimits.parts - 1))],
    ["elements with content", within("<a>b</a>".repeat((markupLimits.parts - 1) / 2))],
    ["texts between elements", within("<a/>b".repeat((markupLimits.parts - 1) / 2))],
    ["attributes", `<r${attributes(markupLimits.attributes)}/>`],
    [
      "namespaces",
      `<r${attributes(markupLimits.namespaces - 1, "xmlns:a")}><b xmlns="c"/><b xmlns="c"/></r>`,
    ],
    ["the name of a namespace", `<r xmlns="${"n".repeat(markupLimits.namespaceName)}"/>`],
    ["depth", "<a>".repeat(markupLimits.depth) + "</a>".repeat(markupLimits.depth)],
    ["names", within(times(markupLimits.names - 1, (index) => `<a${index}/>`))],
    [
      "signs in values, comments and sections",
      `<r a="<'>" b='"></r>'><!-- <a b="> --><![CDATA[<a b='>]]></r>`.replace('"<', '"'),
    ],
  ])("is accepted up to the limit: %s", (_, xml) => {
    expect(() => checkMarkup(xml)).not.toThrow();
  });

  it.each([
    [
      "more than 15000 elements, attributes, texts, comments and sections",
      within("<a/>".repeat(markupLimits.parts)),
    ],
    ["more than 15000 elements, attributes, texts, comments and sections", within(filling(() => "<!---->"))],
    [
      "more than 15000 elements, attributes, texts, comments and sections",
      within(filling(() => "<![CDATA[]]>")),
    ],
    [
      "more than 15000 elements, attributes, texts, comments and sections",
      within(filling(() => '<a b="" c=""/>')),
    ],
    ["more than 15000 elements, attributes, texts, comments and sections", within(filling(() => "<a>b</a>"))],
    [
      "more than 15000 elements, attributes, texts, comments and sections",
      within(filling(() => "<!-- -->\n")),
    ],
    ["more than 64 attributes of an element", `<r ${filling((index) => ` a${index}=""`)}/>`],
    ["more than 64 namespaces in force at an element", `<r${attributes(64, "xmlns:a")}><b xmlns="c"/></r>`],
    ["more than 256 characters in the name of a namespace", `<r xmlns:a="${"n".repeat(257)}"/>`],
    ["more than 256 characters in the name of a namespace", `<r xmlns\n=\n'${"n".repeat(257)}'/>`],
    ["more than 40 elements within each other", filling(() => "<a>")],
    ["more than 400 different names of elements", within(filling((index) => `<a${index}></a${index}>`))],
    ["not well-formed", within(filling(() => "<"))],
    ["not well-formed", `<a b="${filling(() => "c")}`],
    ["not well-formed", `<!--${filling(() => "<!-")}`],
    ["not well-formed", `<a${filling(() => " ")}`],
  ])("is refused beyond the limit, which the error names: %s", (message, xml) => {
    expect(() => checkMarkup(xml)).toThrow(message);
  });
});

describe("a document of a megabyte", () => {
  // Each takes a tenth of a second; quadratic growth would take minutes.
  const maxCpuSeconds = 5;

  it.each([
    ["values", within(filling(() => `<a>${"b".repeat(150)}</a>`))],
    [
      "names up to the limit",
      within(filling((index) => `<a${index % 390}>${"b".repeat(150)}</a${index % 390}>`)),
    ],
    ["attributes up to the limit", within(filling(() => `<a${attributes(64, `${"b".repeat(80)}`)}/>`))],
    ["references", within(filling(() => "&lt;"))],
    ["a text", within(filling(() => ">"))],
    ["a value", `<r a="${filling(() => "&gt;")}"/>`],
    ["a name", `<${filling(() => "a")}/>`],
    ["white space", `<r${filling(() => "\n")}/>`],
  ])("takes time in proportion to its length: %s", (_, xml) => {
    const before = process.cpuUsage();
    parseXml(xml, { maxLength: 2 * megabyte });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(maxCpuSeconds);
  });
});
