import { describe, expect, it } from "vitest";
import { childElements, parseXml } from "../../parse-xml.ts";
import { canonicalForm } from "./canonical-form.ts";

const algorithms = {
  inclusive: "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
  exclusive: "http://www.w3.org/2001/10/xml-exc-c14n#",
};

/** The canonical form of the first element within the root. */
function formOf(algorithm: keyof typeof algorithms, xml: string, prefixes = ""): string {
  const read = (text: string) => parseXml(text, { maxLength: 10_000 });
  const method = read(
    `<m Algorithm="${algorithms[algorithm]}"><i xmlns="${algorithms.exclusive}" PrefixList="${prefixes}"/></m>`,
  );
  const [element] = childElements(read(xml));
  if (element === undefined) throw new Error("No element within the root");
  return canonicalForm(element, method);
}

describe.each(["inclusive", "exclusive"] as const)("the %s canonical form", (algorithm) => {
  it("has namespaces in the order of the code points of their prefixes", () => {
    const namespaces = 'xmlns:B="urn:b" xmlns:_="urn:_" xmlns:a="urn:a"';
    const form = `<a ${namespaces}></a>`;
    expect(formOf(algorithm, `<r><a xmlns:a="urn:a" xmlns:_="urn:_" xmlns:B="urn:b"/></r>`, "a B _")).toBe(
      form,
    );
    expect(formOf(algorithm, `<r xmlns:a="urn:a" xmlns:_="urn:_" xmlns:B="urn:b"><a/></r>`, "a B _")).toBe(
      form,
    );
  });

  it("has attributes in the order of their namespaces, and then of their names", () => {
    const namespaces = 'xmlns:p="urn:ab" xmlns:q="urn:a"';
    expect(formOf(algorithm, `<r><a ${namespaces} p:c="1" q:z="2" q:B="3" b="4" B="5"/></r>`)).toBe(
      `<a ${namespaces} B="5" b="4" q:B="3" q:z="2" p:c="1"></a>`,
    );
  });
});

describe("attributes around an element that are about XML itself", () => {
  const xml = '<r xml:lang="de" xml:space="default" a="b"><a xml:space="preserve"><b/></a></r>';

  it("are in its inclusive form, unless it has them itself", () => {
    expect(formOf("inclusive", xml)).toBe('<a xml:lang="de" xml:space="preserve"><b></b></a>');
  });

  it("are not in its exclusive form", () => {
    expect(formOf("exclusive", xml)).toBe('<a xml:space="preserve"><b></b></a>');
  });

  it("do not stay in the document", () => {
    const root = parseXml(xml, { maxLength: 10_000 });
    const [element] = childElements(root);
    canonicalForm(element as Element, undefined);
    expect(element?.attributes).toHaveLength(1);
  });
});
