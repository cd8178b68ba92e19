import { element } from "../element.ts";

const uuid = "[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}";
/** Kinds of things, by the segment before their id in a path; a domain may be in between. */
const named = new RegExp(
  `(users|connections|teams|conversations)/((?:[\\w-]+(?:\\.[\\w-]+)+/)?)(${uuid})`,
  "g",
);
const kinds: Readonly<Record<string, string>> = { connections: "users" };

/** Links to the users, teams and conversations that a path names, in order. */
export function thingsIn(path: string): HTMLElement[] {
  const found = [...path.matchAll(named)].map(([, place = "", , id = ""]) => [kinds[place] ?? place, id]);
  return found.map(([kind, id]) =>
    element("a", { href: `#/${kind}/${id}`, textContent: kind?.slice(0, -1) ?? "", title: id ?? "" }),
  );
}

/** A user's id as a link to the user. */
export const userLink = (id: string): HTMLElement => element("a", { href: `#/users/${id}`, textContent: id });
