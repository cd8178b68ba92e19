import { element, statusClass, timeOf } from "../element.ts";
import type { PaneCall } from "./pane-api.ts";
import type { Incoming } from "./person.ts";

const shownRows = 200;
const shownBytes = 12;

/** The table of what the service saw, newest first. */
export class ServiceView {
  readonly #rows: HTMLElement;

  constructor(rows: HTMLElement) {
    this.#rows = rows;
  }

  clear(): void {
    this.#rows.replaceChildren();
  }

  addCall(who: string, { method, path, status, milliseconds, id, mls }: PaneCall): void {
    const what = `${method} ${path}`;
    const request =
      id === undefined
        ? what
        : element("a", { href: `/#/requests/${id}`, textContent: what, target: "_blank" });
    const outcome = element("span", { className: statusClass(status), textContent: String(status) });
    this.#add(who, "request", [request], [outcome, ` in ${milliseconds.toFixed(0)} ms`], mls);
  }

  addEvent(who: string, { type, mls }: Incoming): void {
    this.#add(who, "event", [type], ["sent to the socket"], mls);
  }

  #add(
    who: string,
    kind: "request" | "event",
    what: readonly (Node | string)[],
    outcome: readonly (Node | string)[],
    mls: Uint8Array | undefined,
  ): void {
    const row = element(
      "tr",
      { className: kind },
      element("td", {}, timeOf(new Date().toISOString())),
      element("td", {}, who),
      element("td", { className: "what" }, ...what),
      element("td", {}, ...outcome),
      element("td", { className: "cipher" }, mls === undefined ? "" : describe(mls)),
    );
    this.#rows.prepend(row);
    while (this.#rows.childElementCount > shownRows) this.#rows.lastElementChild?.remove();
  }
}

const wireFormats = ["", "public message", "ciphertext", "welcome", "group info", "key package"];

/** Kind of an MLS message, its size, and its last bytes in hexadecimal. */
function describe(mls: Uint8Array): string {
  const kind = wireFormats[((mls[2] ?? 0) << 8) | (mls[3] ?? 0)] ?? "message";
  // The first bytes tell the group and the epoch; the end is what only the group can read.
  const last = [...mls.subarray(-shownBytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${kind}, ${mls.length} bytes: … ${last}`;
}
