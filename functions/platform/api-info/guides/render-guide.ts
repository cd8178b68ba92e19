import MarkdownIt from "markdown-it";

type Token = ReturnType<MarkdownIt["parse"]>[number];

/** A section that begins with a heading, for the search. */
interface GuideSection {
  readonly anchor: string;
  readonly title: string;
  /** Without markup. */
  readonly text: string;
}

export interface RenderedGuide {
  readonly title: string;
  /** The whole page, with its title. */
  readonly html: string;
  readonly sections: GuideSection[];
}

const markdown = new MarkdownIt({ html: true });
// Wide content scrolls, also by keyboard.
markdown.renderer.rules.table_open = () =>
  `<div class="wide" role="group" aria-label="Table" tabindex="0"><table>\n`;
markdown.renderer.rules.table_close = () => "</table></div>\n";
markdown.renderer.rules.fence = (tokens, index) =>
  `<pre tabindex="0"><code>${markdown.utils.escapeHtml(tokens[index]?.content ?? "")}</code></pre>\n`;

/**
 * Render a page of Markdown that begins with its title.
 * @param resolve where a link of the page leads once it is served; undefined leaves only its text
 * @throws Error when the page does not begin with a heading
 */
export function renderGuide(text: string, resolve: (href: string) => string | undefined): RenderedGuide {
  const tokens = markdown.parse(text, {});
  const sections: { anchor: string; title: string; text: string }[] = [];
  const anchorOf = headingAnchors();
  tokens.forEach((token, index) => {
    const section = sections.at(-1);
    if (token.type === "heading_open") {
      const title = plainText(tokens[index + 1]);
      const anchor = anchorOf(title);
      token.attrSet("id", anchor);
      sections.push({ anchor, title, text: "" });
    } else if (section && tokens[index - 1]?.type !== "heading_open") {
      const words = token.type === "fence" ? token.content : plainText(token);
      if (words !== "") section.text += `${words}\n`;
    }
    resolveLinks(token.children ?? [], resolve);
  });
  const [first] = sections;
  if (first === undefined || tokens[0]?.tag !== "h1") throw new Error("A guide begins with its title");
  return { title: first.title, html: markdown.renderer.render(tokens, {}, {}), sections };
}

const plainText = (token: Token | undefined): string =>
  (token?.children ?? []).map(({ type, content }) => (type === "softbreak" ? " " : content)).join("");

function resolveLinks(tokens: readonly Token[], resolve: (href: string) => string | undefined): void {
  let isDropped = false;
  for (const token of tokens) {
    if (token.type === "link_open") {
      const address = resolve(String(token.attrGet("href")));
      isDropped = address === undefined;
      if (address !== undefined) token.attrSet("href", address);
    }
    // A text without content renders as nothing.
    if (isDropped && /^link_/.test(token.type)) token.type = "text";
  }
}

/** Names the anchors of a page's headings, from top to bottom, as code hosts do. */
export function headingAnchors(): (text: string) => string {
  const taken = new Set<string>();
  return (text) => {
    const base = text
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
      .replaceAll(" ", "-");
    let anchor = base;
    for (let count = 1; taken.has(anchor); count++) anchor = `${base}-${count}`;
    taken.add(anchor);
    return anchor;
  };
}
