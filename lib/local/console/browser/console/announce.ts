import { byId } from "../element.ts";

/** Announce a change to users of screen readers. */
export function announce(text: string): void {
  byId("announcement").textContent = text;
}
