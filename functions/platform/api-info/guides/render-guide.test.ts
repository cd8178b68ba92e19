import { describe, expect, it } from "vitest";
import { renderGuide } from "./render-guide.ts";

const page = `# A *short* guide

Words can be *stressed*, **strong** or \`code\`. See [the other](other.md#part) and [the source](../lib/x.ts).

## A table

| one | two |
| --- | --- |
| <b> | [x](other.md) |

## A table

\`\`\`ts
if (1 < 2) console.log("&");
\`\`\`
`;

describe("a rendered guide", () => {
  const { title, html, sections } = renderGuide(page, (href) =>
    href.startsWith("other.md") ? href.replace(".md", "") : undefined,
  );

  it("shows emphasis, code, tables and blocks of code", () => {
    expect(html).toContain("<em>stressed</em>");
    expect(html).toContain("<strong>strong</strong>");
    expect(html).toContain("<code>code</code>");
    expect(html).toMatch(/<table>.*<th>one<\/th>.*<\/table>/s);
    expect(html).toContain("<code>if (1 &lt; 2) console.log(&quot;&amp;&quot;);\n</code></pre>");
  });

  it("leads links where they are served, and leaves the text of the others", () => {
    expect(html).toContain('<a href="other#part">the other</a> and the source.');
    expect(html).toContain('<a href="other">x</a>');
  });

  it("has anchors and texts for the search", () => {
    expect(title).toBe("A short guide");
    expect(sections.map(({ anchor }) => anchor)).toEqual(["a-short-guide", "a-table", "a-table-1"]);
    expect(html).toContain('<h2 id="a-table-1">');
    expect(sections.map(({ text }) => text)).toEqual([
      "Words can be stressed, strong or code. See the other and the source.\n",
      "one\ntwo\n<b>\nx\n",
      'if (1 < 2) console.log("&");\n\n',
    ]);
  });

  it("must begin with its title", () => {
    expect(() => renderGuide("Words.\n\n# Title", () => undefined)).toThrow("begins with its title");
  });
});
