import type { ApiCall } from "./api.ts";
import { fromBase64 } from "./base64.ts";
import { element, timeOf } from "./element.ts";
import type { ServiceEvent } from "./events.ts";
import { toHex } from "./mls.ts";

const shownEntries = 200;
const shownBytes = 24;

/** A list of what the service has seen of this window, newest first. */
export class ServiceView {
  readonly #list: HTMLElement;
  readonly #consoleUrl: string | undefined;

  /** @param consoleUrl address at which operators see a request in full, if the page is open on their machine */
  constructor(list: HTMLElement, consoleUrl: string | undefined) {
    this.#list = list;
    this.#consoleUrl = consoleUrl;
  }

  addCall({ method, path, status, milliseconds, requestId, bytes }: ApiCall): void {
    const what = `${method} ${path}`;
    const shown =
      requestId === undefined || this.#consoleUrl === undefined
        ? element("span", { textContent: what })
        : element("a", {
            href: `${this.#consoleUrl}/#/requests/${requestId}`,
            textContent: what,
            target: "_blank",
          });
    const about = path.endsWith("/assets") ? file : message;
    this.#add("sent", shown, `answered ${status} in ${milliseconds.toFixed(0)} ms`, bytes && about(bytes));
  }

  addEvent({ type, data }: ServiceEvent): void {
    const isMls = /^conversation\.mls-(welcome|message-add)$/.test(type);
    const shown = element("span", { textContent: type });
    this.#add("arrived", shown, "event", isMls ? message(fromBase64(data)) : undefined);
  }

  #add(className: string, what: HTMLElement, outcome: string, content: string | undefined): void {
    const line = element("p", {}, timeOf(new Date().toISOString()), " ", what, ` ${outcome}`);
    const code = content === undefined ? [] : [element("code", { textContent: content })];
    this.#list.prepend(element("li", { className }, line, ...code));
    while (this.#list.childElementCount > shownEntries) this.#list.lastElementChild?.remove();
  }
}

const wireFormats = ["", "public message", "ciphertext", "welcome", "group info", "key package"];

/**
 * Kind of an MLS message, its size, and its last bytes: the first bytes contain the group and the epoch, the last are
 * encrypted.
 */
function message(bytes: Uint8Array): string {
  const kind = wireFormats[((bytes[2] ?? 0) << 8) | (bytes[3] ?? 0)] ?? "message";
  return `${kind}, ${bytes.length} bytes: … ${toHex(bytes.subarray(-shownBytes))}`;
}

const closingBoundary = 12;

function file(bytes: Uint8Array): string {
  const end = bytes.length - closingBoundary;
  return `encrypted file, ${bytes.length} bytes: … ${toHex(bytes.subarray(end - shownBytes, end))}`;
}
