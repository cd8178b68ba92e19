import type { Person } from "./account.ts";
import { byId, element } from "./element.ts";
import type { Setup } from "./main.ts";

/** The address of somebody's window, which begins a conversation with somebody else. */
const windowOf = ({ email }: Person, other: Person | undefined) =>
  `/people/${email}${other === undefined ? "" : `#with=${other.email}`}`;

/** Show the people whose windows can be opened. */
export function showStart({ people, networkUrl }: Setup): void {
  const [first, second] = people;
  const card = (person: Person) => {
    const other = person === first ? second : first;
    const about = other === undefined ? "" : `writes to ${other.name}`;
    const link = element(
      "a",
      { href: windowOf(person, other), target: "_blank" },
      `${person.name}’s window`,
      element("small", { textContent: `${person.email}, ${about}` }),
    );
    return element("li", {}, link);
  };
  byId("windows").replaceChildren(...people.map(card));
  byId("join").addEventListener("submit", (event) => {
    event.preventDefault();
    const name = byId<HTMLInputElement>("join-name").value.trim();
    const local = name
      .normalize("NFKD")
      .toLowerCase()
      .replace(/\p{M}/gu, "")
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "");
    const query = new URLSearchParams({ name });
    location.assign(`/people/${local}@chat.example?${query}`);
  });
  byId("phone").replaceChildren(
    ...(networkUrl === undefined
      ? ["For a phone, start with ", element("code", { textContent: "npm start -- --host ADDRESS" }), "."]
      : [
          "On a phone, open ",
          element("a", { href: networkUrl, textContent: networkUrl }),
          ". Its certificate is self-signed, since browsers encrypt only on secure pages: let the warning pass.",
        ]),
  );
  byId("start").hidden = false;
}
