type Properties<Name extends keyof HTMLElementTagNameMap> = Partial<
  Omit<HTMLElementTagNameMap[Name], "style" | "children">
>;

/** Create an element with properties and children; texts are never taken for HTML. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties<Name> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

/** An element of the page. @throws Error if there is none */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element ${id}`);
  return found as Kind;
}

export function timeOf(iso: string): HTMLTimeElement {
  const date = new Date(iso);
  const textContent = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return element("time", { dateTime: iso, title: date.toLocaleString(), textContent });
}
