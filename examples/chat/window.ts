import { openDevice } from "./account.ts";
import { Api } from "./api.ts";
import { Calls } from "./call.ts";
import { Chat, type Contact, type Conversation } from "./chat.ts";
import { byId, element, timeOf } from "./element.ts";
import type { Setup } from "./main.ts";
import { ServiceView } from "./service-view.ts";
import { Store, type StoredMessage } from "./store.ts";

const waitMilliseconds = 1_000;
const typingMilliseconds = 5_000;

/** Open the window of one person, and keep it up to date. */
export async function openWindow(email: string, setup: Setup, fail: (error: unknown) => void): Promise<void> {
  const alone = await navigator.locks.query();
  if (alone.held?.some(({ name }) => name === email)) {
    throw new Error(
      "This window is open already. Two at a time would use the same keys; close one, and reload.",
    );
  }
  navigator.locks.request(email, () => new Promise(() => {}));
  const given = new URLSearchParams(location.search).get("name");
  const name =
    setup.people.find((person) => person.email === email)?.name ?? given ?? email.replace(/@.*/, "");
  document.title = `${name} · Parley chat`;
  byId("who").textContent = name;
  byId("window").hidden = false;
  showConnection(undefined);

  const view = new ServiceView(byId("seen"), setup.consoleUrl);
  // The server passes requests below this path on to the API, so that the browser keeps the cookies of each person
  // apart.
  const api = new Api(`${location.origin}/people/${email}/api`, (call) => view.addCall(call));
  const store = await Store.open(`parley-chat ${email}`);
  const codeInMail = async () => (await fetch(`/code?${new URLSearchParams({ email })}`)).text();
  const device = await openDevice(api, store, { name, email, password: setup.password, codeInMail });
  const shown = new ChatWindow(fail);
  const chat = await Chat.open(api, store, device, {
    changed: () => shown.render(),
    connected: showConnection,
    received: (event) => view.addEvent(event),
    called: (conversation, _from, step, at) => shown.ring(conversation, step, at),
    failed: fail,
  });
  shown.begin(chat);
  const [, other] = /^#with=(.+)$/.exec(location.hash) ?? [];
  if (other !== undefined) await shown.talkTo(decodeURIComponent(other));
}

function showConnection(isConnected: boolean | undefined): void {
  byId("connection").textContent =
    isConnected === undefined ? "Logging in …" : isConnected ? "Connected" : "Connecting …";
}

/** The visible state of a chat. */
class ChatWindow {
  readonly #fail: (error: unknown) => void;
  #chat: Chat | undefined;
  #calls: Calls | undefined;
  #open: Conversation | undefined;
  #isRendering = false;
  #typingSince = 0;
  /** Addresses of decrypted files, by id of their message. */
  readonly #files = new Map<string, string>();

  constructor(fail: (error: unknown) => void) {
    this.#fail = fail;
  }

  begin(chat: Chat): void {
    this.#chat = chat;
    this.#calls = new Calls(chat, () => this.render());
    const text = byId<HTMLInputElement>("text");
    const file = byId<HTMLInputElement>("file");
    this.#onSubmit("write", async () => {
      const conversation = this.#open;
      const [attached] = file.files ?? [];
      const written = text.value.trim();
      if (conversation === undefined || (written === "" && attached === undefined)) return;
      text.value = "";
      file.value = "";
      this.#typingSince = 0;
      await chat.write(conversation, written, attached);
    });
    text.addEventListener("input", () => this.#tellTyping(text.value !== ""));
    this.#onSubmit("find", async () => {
      const found = await chat.search(byId<HTMLInputElement>("find-text").value);
      byId("found").replaceChildren(
        ...(found.length === 0 ? [element("li", { className: "empty", textContent: "Nobody." })] : []),
        ...found.map((person) =>
          element(
            "li",
            {},
            this.#button(`Connect with ${person.name}`, () => chat.connect(person)),
          ),
        ),
      );
    });
    byId("grouping").addEventListener("toggle", () => this.#listGroupPeople());
    this.#onSubmit("new-group", async () => {
      const chosen = [...byId("group-people").querySelectorAll<HTMLInputElement>(":checked")];
      const members = chosen.flatMap(({ value }) => chat.contacts.get(value) ?? []);
      const name = byId<HTMLInputElement>("group-name");
      this.#show(await chat.createGroup(name.value, members));
      name.value = "";
      byId<HTMLDetailsElement>("grouping").open = false;
    });
    byId("call").addEventListener("click", () => {
      if (this.#open !== undefined) this.#calls?.place(this.#open).catch(this.#fail);
    });
    document.addEventListener("visibilitychange", () => this.render());
    this.render();
  }

  ring(...parameters: Parameters<Calls["receive"]>): void {
    // Not awaited, because its answer is handled only after this offer.
    this.#calls?.receive(...parameters).catch(this.#fail);
  }

  /** Open the conversation with somebody of the demonstration, as soon as both are there and connected. */
  async talkTo(email: string): Promise<void> {
    const chat = this.#chat as Chat;
    const [handle = ""] = email.split("@");
    const isOther = ({ name }: Contact) => name.toLowerCase() === handle;
    for (;;) {
      const contact = [...chat.contacts.values()].find(isOther);
      if (contact !== undefined) return this.#show(await chat.conversationWith(contact));
      const [wanted] = [...chat.requests.values(), ...(await chat.search(handle))].filter(isOther);
      if (wanted !== undefined) await chat.connect(wanted);
      byId("title").textContent = `Waiting for ${handle}: open their window, too`;
      await new Promise((resolve) => setTimeout(resolve, waitMilliseconds));
      // If the person chooses another conversation meanwhile, that one stays open.
      if (this.#open !== undefined) return;
    }
  }

  /** Draws at the next frame: many changes may arrive between two. */
  render(): void {
    if (this.#isRendering) return;
    this.#isRendering = true;
    setTimeout(() => {
      this.#isRendering = false;
      this.#draw();
    });
  }

  #draw(): void {
    const chat = this.#chat;
    if (chat === undefined) return;
    if (this.#open !== undefined) this.#open = chat.conversations.get(this.#open.key);
    const open = this.#open;
    const all = [...chat.conversations.values()];
    const entry = (name: string, conversation: Conversation | undefined, show: () => unknown) => {
      const unread = conversation === undefined ? 0 : chat.unreadOf(conversation).length;
      const button = this.#button(unread === 0 ? name : `${name} (${unread} new)`, show);
      if (conversation !== undefined && conversation.key === open?.key)
        button.setAttribute("aria-current", "true");
      return element("li", {}, button);
    };
    const people = [...chat.contacts.values()].map((contact) => {
      const own = all.find(({ kind, members: [one] }) => kind === "person" && one?.id === contact.id);
      return entry(contact.name, own, async () => this.#show(own ?? (await chat.conversationWith(contact))));
    });
    const groups = all
      .filter(({ kind }) => kind === "group")
      .map((group) => entry(group.name, group, () => this.#show(group)));
    const requests = [...chat.requests.values()].map((person) =>
      element(
        "li",
        {},
        this.#button(`${person.name} wants to connect: accept`, () => chat.connect(person)),
      ),
    );
    refill("requests", requests);
    refill("people", people, "Nobody yet: find people below.");
    refill("groups", groups, "None yet.");
    this.#drawConversation(chat, open);
    this.#drawCall();
  }

  #drawConversation(chat: Chat, open: Conversation | undefined): void {
    for (const id of ["text", "file", "send"]) byId<HTMLInputElement>(id).disabled = open === undefined;
    byId("call").hidden = open?.kind !== "person" || this.#calls?.current !== undefined;
    if (open === undefined) return;
    const others =
      open.kind === "group" ? ` (${["you", ...open.members.map(({ name }) => name)].join(", ")})` : "";
    byId("title").textContent = `${open.name}${others}`;
    const messages = byId("messages");
    const isAtEnd = messages.scrollTop + messages.clientHeight > messages.scrollHeight - 40;
    messages.replaceChildren(...chat.messagesOf(open).map((message) => this.#message(chat, message)));
    if (isAtEnd) messages.scrollTop = messages.scrollHeight;
    const typing = chat.typingIn(open);
    byId("typing").textContent = typing.length === 0 ? "" : `${typing.join(", ")} typing …`;
    if (document.visibilityState === "visible") chat.markRead(open).catch(this.#fail);
  }

  #message(chat: Chat, message: StoredMessage): HTMLElement {
    const { id, from, at, text, file, readBy, state = "arrived" } = message;
    const isOwn = from === chat.self.id;
    const readers = readBy.map((reader) => chat.nameOf(reader)).join(", ");
    const states = { sending: "sending …", sent: "sent", failed: "not sent", arrived: "" };
    const mark = isOwn ? (readers === "" ? states[state] : `read by ${readers}`) : chat.nameOf(from);
    return element(
      "article",
      { className: `${isOwn ? "own" : ""} ${state}` },
      ...(text === "" ? [] : [element("p", { textContent: text })]),
      ...(file === undefined ? [] : [this.#file(chat, id, file)]),
      element("footer", {}, timeOf(at), ` ${mark}`),
      ...(state === "failed" ? [this.#button("Send again", () => this.#sendAgain(chat, message))] : []),
    );
  }

  #file(chat: Chat, id: string, file: NonNullable<StoredMessage["file"]>): HTMLElement {
    const href = this.#files.get(id);
    const about = `${file.name}, ${file.bytes.toLocaleString()} bytes`;
    if (href === undefined) {
      return this.#button(`Open ${about}`, async () => {
        const content = await chat.openFile(file);
        this.#files.set(id, URL.createObjectURL(new Blob([content], { type: shownType(file.type) })));
        this.render();
      });
    }
    const link = element("a", { href, download: file.name, textContent: `Save ${about}` });
    if (shownType(file.type) === plainType) return link;
    return element("div", {}, element("img", { src: href, alt: file.name }), link);
  }

  async #sendAgain(chat: Chat, message: StoredMessage): Promise<void> {
    if (this.#open !== undefined) await chat.deliver(this.#open, message);
  }

  #drawCall(): void {
    const calls = this.#calls;
    const call = calls?.current;
    byId("call-bar").hidden = call === undefined;
    if (calls === undefined || call === undefined) return;
    const { name } = call.conversation;
    const links = {
      connected: ", directly from browser to browser",
      failed: ", but the browsers cannot reach each other",
    };
    const link = links[call.link as keyof typeof links] ?? "";
    const says = {
      calling: `Calling ${name} …`,
      ringing: `${name} is calling.`,
      connected: `In a call with ${name}${link}.`,
    };
    byId("call-bar").replaceChildren(
      element("span", { textContent: says[call.phase] }),
      ...(call.phase === "ringing" ? [this.#button("Accept", () => calls.accept())] : []),
      this.#button(call.phase === "ringing" ? "Decline" : "Hang up", () => calls.end()),
    );
  }

  #show(conversation: Conversation): void {
    this.#open = conversation;
    byId("text").removeAttribute("disabled");
    byId("text").focus();
    this.render();
  }

  #tellTyping(isTyping: boolean): void {
    const isTold = Date.now() - this.#typingSince < typingMilliseconds;
    if (this.#open === undefined || (isTyping && isTold)) return;
    this.#typingSince = isTyping ? Date.now() : 0;
    this.#chat?.sayTyping(this.#open, isTyping).catch(this.#fail);
  }

  #listGroupPeople(): void {
    const people = [...(this.#chat?.contacts.values() ?? [])];
    byId("group-people").replaceChildren(
      element("legend", { textContent: "With" }),
      ...people.map(({ id, name }) =>
        element("label", {}, element("input", { type: "checkbox", value: id }), ` ${name}`),
      ),
    );
  }

  #button(textContent: string, act: () => unknown): HTMLButtonElement {
    const button = element("button", { type: "button", textContent });
    button.addEventListener("click", async () => {
      try {
        await act();
      } catch (error) {
        this.#fail(error);
      }
    });
    return button;
  }

  #onSubmit(form: string, act: () => Promise<void>): void {
    byId(form).addEventListener("submit", (event) => {
      event.preventDefault();
      act().catch(this.#fail);
    });
  }
}

const plainType = "application/octet-stream";
/** The sender chooses the type of a file, so only types that cannot contain a script are kept. */
const shownType = (type: string) => (/^image\/(png|jpeg|gif|webp|avif)$/.test(type) ? type : plainType);

/** Replace the entries of a list, and keep the focus where it was. */
function refill(id: string, entries: readonly HTMLElement[], empty?: string): void {
  const list = byId(id);
  const focused = [...list.children].findIndex((entry) => entry.contains(document.activeElement));
  const none = empty === undefined ? [] : [element("li", { className: "empty", textContent: empty })];
  list.replaceChildren(...(entries.length === 0 ? none : entries));
  list.children[focused]?.querySelector("button")?.focus();
}
