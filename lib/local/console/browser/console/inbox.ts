import { byId, element, timeOf } from "../element.ts";
import { announce } from "./announce.ts";

/** An email, SMS or push, as the console sends it. */
export interface Message {
  readonly id: string;
  readonly kind: "email" | "sms" | "push";
  readonly to: string;
  readonly from: string;
  readonly subject?: string;
  readonly text: string;
  readonly html?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sentAt: string;
}

const shownMessages = 500;
const kinds = { email: "Email", sms: "SMS", push: "Push" };

/** Newest first. */
let messages: Message[] = [];
let openMessageId: string | undefined;
let prefersText = false;

export const latestMessages = (): readonly Message[] => messages;

export function setMessages(all: Message[]): void {
  messages = all;
  renderInbox();
  renderReader();
}

/** @returns whether it is new */
export function addMessage(message: Message): boolean {
  if (messages.some(({ id }) => id === message.id)) return false;
  messages.unshift(message);
  announce(`New message to ${message.to}`);
  return true;
}

export function openMessage(id: string | undefined): void {
  openMessageId = id;
  renderInbox();
  renderReader();
  if (id !== undefined) byId("reader").focus({ preventScroll: true });
}

const firstLine = (text: string) => text.trim().split("\n")[0] ?? "";

/** The code in a message: emails contain it in a header, SMS in their text. */
function codeIn({ kind, headers, text }: Message): string | undefined {
  if (kind === "sms") return /\b\d{6}\b/.exec(text)?.[0];
  return Object.entries(headers).find(([name]) => /^x-.+-code$/i.test(name))?.[1];
}

export function renderInbox(): void {
  const wanted = byId<HTMLInputElement>("filter").value.trim().toLowerCase();
  const found = messages.filter((message) =>
    [message.to, message.subject ?? "", message.text].some((part) => part.toLowerCase().includes(wanted)),
  );
  byId("message-list").replaceChildren(...found.slice(0, shownMessages).map(inboxEntry));
  byId("message-count").textContent = String(messages.length || "");
  byId("no-messages").hidden = found.length > 0;
  byId("no-messages").textContent =
    messages.length > 0
      ? "None matches the filter."
      : "Nothing yet. What the API sends as e-mail, SMS or push arrives here: register somebody, and the mail with the code comes.";
  byId<HTMLButtonElement>("clear").disabled = messages.length === 0;
}

function inboxEntry(message: Message): HTMLElement {
  const link = element(
    "a",
    { href: `#/messages/${message.id}` },
    element("span", { className: "to", textContent: message.to }),
    timeOf(message.sentAt),
    element("span", { className: "about", textContent: message.subject ?? firstLine(message.text) }),
    element("span", { className: "kind", textContent: kinds[message.kind] }),
  );
  if (message.id === openMessageId) link.setAttribute("aria-current", "true");
  return element("li", {}, link);
}

function renderReader(): void {
  const message = messages.find(({ id }) => id === openMessageId);
  byId("messages").classList.toggle("is-reading", message !== undefined);
  if (message === undefined) {
    const textContent = messages.length > 0 ? "Choose a message." : "";
    byId("reader").replaceChildren(element("p", { className: "empty", textContent }));
    return;
  }
  const code = codeIn(message);
  byId("reader").replaceChildren(
    element("a", { className: "back", href: "#/messages", textContent: "← All mail & SMS" }),
    element("h2", { textContent: message.subject ?? kinds[message.kind] }),
    messageFacts(message),
    ...(code === undefined ? [] : [codeBox(code)]),
    ...messageBody(message),
  );
}

function messageFacts({ from, to, sentAt, headers }: Message): HTMLElement {
  const facts = [
    ["From", from || "—"],
    ["To", to],
    ["Sent", new Date(sentAt).toLocaleString()],
  ] as const;
  return element(
    "dl",
    {},
    ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
    ...Object.entries(headers).flatMap(([name, value]) => [
      element("dt", {}, name),
      element("dd", { className: "header" }, value),
    ]),
  );
}

function codeBox(code: string): HTMLElement {
  const button = element("button", { type: "button", textContent: "Copy code" });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code);
    button.textContent = "Copied";
    announce("Code copied");
    setTimeout(() => {
      button.textContent = "Copy code";
    }, 1500);
  });
  return element("div", { className: "code" }, element("output", { textContent: code }), button);
}

function messageBody(message: Message): HTMLElement[] {
  if (message.html === undefined) return [plainText(message.text)];
  const choices = (["HTML", "Text"] as const).map((label) => {
    const isText = label === "Text";
    const button = element("button", { type: "button", textContent: label });
    button.setAttribute("aria-pressed", String(prefersText === isText));
    button.addEventListener("click", () => {
      prefersText = isText;
      renderReader();
      byId("reader").querySelector<HTMLElement>("[aria-pressed=true]")?.focus();
    });
    return button;
  });
  return [
    element("div", { className: "forms" }, ...choices),
    prefersText ? plainText(message.text) : mailFrame(message),
  ];
}

function mailFrame({ id }: Message): HTMLElement {
  const frame = element("iframe", {
    title: "Email as its reader sees it",
    src: `/messages/${id}/html`,
  });
  frame.setAttribute("sandbox", "allow-popups allow-popups-to-escape-sandbox");
  return frame;
}

/** Text with its links made clickable. */
function plainText(text: string): HTMLElement {
  const parts = text.split(/(https?:\/\/[^\s<>"']+)/);
  const nodes = parts.map((part, index) =>
    index % 2 === 0
      ? part
      : element("a", { href: part, target: "_blank", rel: "noreferrer", textContent: part }),
  );
  return element("pre", { className: "text" }, ...nodes);
}
