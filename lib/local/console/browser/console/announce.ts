import { byId } from "../element.ts";

/** Tell those who do not see the page that something has changed. */
export function announce(text: string): void {
  byId("announcement").textContent = text;
}
