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
