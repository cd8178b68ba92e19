import { byId, element } from "../element.ts";

/** One person's side of the chat: `#ada` or `#ben` on the page. */
export class Pane {
  readonly name: string;
  readonly #texts: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #button: HTMLButtonElement;
  #write: ((text: string) => Promise<void>) | undefined;
  #fail: (error: unknown) => void = () => {};

  constructor(name: string) {
    this.name = name;
    const id = name.toLowerCase();
    this.#texts = byId(`${id}-texts`);
    this.#input = byId<HTMLInputElement>(`${id}-input`);
    this.#button = byId<HTMLButtonElement>(`${id}-send`);
    byId(`${id}-form`).addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send().catch((error) => this.#fail(error));
    });
  }

  /** Let the person write. */
  open(write: (text: string) => Promise<void>, fail: (error: unknown) => void): void {
    this.#write = write;
    this.#fail = fail;
    this.#setDisabled(false);
  }

  reset(): void {
    this.#write = undefined;
    this.#setDisabled(true);
    this.#texts.replaceChildren();
  }

  focus(): void {
    this.#input.focus();
  }

  show(text: string, side: "own" | "theirs"): void {
    this.#texts.append(element("p", { className: side, textContent: text }));
    this.#texts.scrollTop = this.#texts.scrollHeight;
  }

  async #send(): Promise<void> {
    const text = this.#input.value.trim();
    if (text === "" || this.#write === undefined) return;
    this.#input.value = "";
    this.show(text, "own");
    await this.#write(text);
  }

  #setDisabled(isDisabled: boolean): void {
    this.#input.disabled = isDisabled;
    this.#button.disabled = isDisabled;
  }
}
