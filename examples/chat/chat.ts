import { claimPackages, uploadPackages } from "./account.ts";
import { type Api, ApiError } from "./api.ts";
import { fromBase64 } from "./base64.ts";
import { EventStream, type Notification, type ServiceEvent } from "./events.ts";
import { downloadFile, uploadFile } from "./files.ts";
import {
  type Commit,
  commitTo,
  decodeGroup,
  encodeGroup,
  encrypt,
  type Group,
  hasProposals,
  joinByCommit,
  joinByWelcome,
  newGroup,
  read,
} from "./mls.ts";
import type { Changes, FileReference, Store, StoredDevice, StoredGroup, StoredMessage } from "./store.ts";

export interface Contact {
  readonly id: string;
  readonly domain: string;
  readonly name: string;
}

export interface Conversation {
  /** `domain/id` */
  readonly key: string;
  readonly kind: "person" | "group";
  readonly name: string;
  /** Without oneself. */
  readonly members: readonly Contact[];
  readonly groupId: string;
}

/** A step of a call; `sdp` is that of WebRTC (RFC 8829). */
export interface CallStep {
  readonly type: "call";
  readonly call: string;
  readonly step: "offer" | "answer" | "end";
  readonly sdp?: string;
}

/** The content of messages between devices in a group. The service neither sees nor defines it. */
type Content =
  | { readonly type: "text"; readonly id: string; readonly text: string; readonly file?: FileReference }
  | { readonly type: "read"; readonly ids: readonly string[] }
  | CallStep;

export interface Listener {
  /** Called when something that is shown has changed. */
  readonly changed: () => void;
  readonly connected: (isConnected: boolean) => void;
  readonly received: (event: ServiceEvent) => void;
  readonly called: (conversation: Conversation, from: string, step: CallStep, at: string) => void;
  readonly failed: (error: unknown) => void;
}

/** A conversation as the public API answers it. */
interface ConversationView {
  readonly qualified_id: { readonly id: string; readonly domain: string };
  readonly type: number;
  readonly name?: string;
  readonly protocol: string;
  readonly group_id: string;
  readonly members: { readonly others: readonly { readonly qualified_id: Omit<Contact, "name"> }[] };
}

const attempts = 4;
const typingMilliseconds = 8_000;
/** Types of conversations in the public API. */
const types: Readonly<Record<number, Conversation["kind"]>> = { 0: "group", 2: "person" };

/** The knowledge of one device: people, conversations and messages. */
export class Chat {
  readonly self: Contact;
  readonly contacts = new Map<string, Contact>();
  /** People who want to connect. */
  readonly requests = new Map<string, Contact>();
  readonly conversations = new Map<string, Conversation>();
  readonly #api: Api;
  readonly #store: Store;
  readonly #device: StoredDevice;
  readonly #listener: Listener;
  readonly #events: EventStream;
  readonly #groups = new Map<string, Group>();
  readonly #messages = new Map<string, StoredMessage>();
  readonly #typing = new Map<string, Map<string, ReturnType<typeof setTimeout>>>();
  readonly #names = new Map<string, string>();
  #lastNotification: string | undefined;
  /** Groups change one step at a time: each step begins with the state stored by the previous one. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(self: Contact, api: Api, store: Store, device: StoredDevice, listener: Listener) {
    this.self = self;
    this.#api = api;
    this.#store = store;
    this.#device = device;
    this.#listener = listener;
    this.#events = new EventStream(api, {
      last: () => this.#lastNotification,
      handle: (notification) => this.#handle(notification),
      connected: listener.connected,
    });
  }

  /** Load the stored state, and follow events. */
  static async open(api: Api, store: Store, device: StoredDevice, listener: Listener): Promise<Chat> {
    const { qualified_id, name, team } = await api.send("GET", "/self");
    const chat = new Chat({ ...qualified_id, name }, api, store, device, listener);
    chat.#lastNotification = await store.lastNotification();
    for (const message of await store.all("messages")) {
      // The page was closed before the service had answered.
      const isUnclear = message.state === "sending";
      chat.#messages.set(message.id, isUnclear ? { ...message, state: "failed" } : message);
    }
    await Promise.all([chat.#loadPeople(team), chat.#loadConversations()]);
    chat.#events.run();
    return chat;
  }

  messagesOf({ key }: Conversation): StoredMessage[] {
    return [...this.#messages.values()]
      .filter(({ conversation }) => conversation === key)
      .sort((one, other) => one.at.localeCompare(other.at));
  }

  unreadOf(conversation: Conversation): StoredMessage[] {
    return this.messagesOf(conversation).filter(
      ({ from, readBy }) => from !== this.self.id && !readBy.includes(this.self.id),
    );
  }

  typingIn({ key }: Conversation): string[] {
    return [...(this.#typing.get(key)?.keys() ?? [])].map((id) => this.nameOf(id));
  }

  nameOf(id: string): string {
    return this.#names.get(id) ?? "Somebody";
  }

  /** Find people by name or handle. */
  async search(text: string): Promise<Contact[]> {
    const { documents } = await this.#api.send("GET", `/search/contacts?${new URLSearchParams({ q: text })}`);
    return documents
      .map(({ qualified_id, name }: { qualified_id: Contact; name: string }) => ({ ...qualified_id, name }))
      .filter(({ id }: Contact) => id !== this.self.id);
  }

  /**
   * Ask somebody to connect, or accept their request. Two strangers must connect before they can have a conversation.
   */
  async connect({ id, domain }: Contact): Promise<void> {
    await this.#api.send("POST", `/connections/${domain}/${id}`);
    await this.#loadConnections();
  }

  /**
   * The conversation with one person. The service stores nothing of it before its first message, which creates the
   * group.
   */
  async conversationWith(contact: Contact): Promise<Conversation> {
    const { id, domain, name } = contact;
    const { conversation } = await this.#api.send("GET", `/one2one-conversations/${domain}/${id}`);
    const { key, groupId } = (await this.#learn(conversation)) as Conversation;
    const complete = { key, kind: "person" as const, name, members: [contact], groupId };
    this.conversations.set(key, complete);
    return complete;
  }

  async createGroup(name: string, members: readonly Contact[]): Promise<Conversation> {
    const created = await this.#api.send("POST", "/conversations", {
      json: { name, protocol: "mls", qualified_users: [] },
    });
    const conversation = (await this.#learn(created)) as Conversation;
    await this.#enterGroup(conversation, members);
    return this.#refresh(conversation.key);
  }

  async write(conversation: Conversation, text: string, attached?: File): Promise<void> {
    const file = attached && (await uploadFile(this.#api, attached));
    await this.deliver(conversation, {
      id: crypto.randomUUID(),
      conversation: conversation.key,
      from: this.self.id,
      at: new Date().toISOString(),
      text,
      readBy: [],
      ...(file && { file }),
    });
  }

  /** Send a message, for the first time or again: those who have it already recognise its id. */
  async deliver(conversation: Conversation, message: StoredMessage): Promise<void> {
    const { id, text, file } = message;
    await this.#keep({ ...message, state: "sending" });
    try {
      const { time } = await this.#send(conversation, { type: "text", id, text, ...(file && { file }) });
      await this.#keep({ ...message, at: time, state: "sent" });
    } catch (error) {
      await this.#keep({ ...message, state: "failed" });
      throw error;
    }
  }

  /** Tell the others that everything in a conversation has been read. */
  async markRead(conversation: Conversation): Promise<void> {
    const unread = this.unreadOf(conversation);
    if (unread.length === 0) return;
    const read = unread.map((message) => ({ ...message, readBy: [...message.readBy, this.self.id] }));
    for (const message of read) this.#messages.set(message.id, message);
    await this.#store.save({ messages: read });
    await this.#send(conversation, { type: "read", ids: unread.map(({ id }) => id) });
  }

  /** Typing is not encrypted: it passes through the service in plain text, and is never stored. */
  async sayTyping({ key }: Conversation, isTyping: boolean): Promise<void> {
    if ((await this.#groupOf(key)) === undefined) return;
    const json = { status: isTyping ? "started" : "stopped" };
    await this.#api.send("POST", `/conversations/${key}/typing`, { json });
  }

  async sendCallStep(conversation: Conversation, step: CallStep): Promise<void> {
    await this.#send(conversation, step);
  }

  async callServers(): Promise<RTCIceServer[]> {
    return (await this.#api.send("GET", "/calls/config/v2")).ice_servers;
  }

  openFile(file: FileReference): Promise<ArrayBuffer> {
    return downloadFile(this.#api, file);
  }

  /** Encrypt and send. If the group has changed meanwhile, learn how, and try again in its new epoch. */
  async #send(conversation: Conversation, content: Content): Promise<{ time: string }> {
    return this.#retryStale(async () => {
      await this.#enterGroup(conversation, conversation.members);
      return this.#inTurn(async () => {
        const { key } = conversation;
        const group = await this.#groupOf(key);
        if (group !== undefined && hasProposals(group)) {
          const { bundle, next } = await commitTo(group);
          await this.#commit(key, bundle, next);
        }
        const { message, next } = await encrypt((await this.#groupOf(key)) as Group, JSON.stringify(content));
        // Store the state first: a key that was used for one message must never be used for another.
        await this.#store.save({ groups: [this.#changed(key, next)] });
        return this.#api.send("POST", "/mls/messages", { mls: message });
      });
    });
  }

  /**
   * Join the group of a conversation: by its first commit, which adds the others, or by an external commit of this
   * device.
   */
  #enterGroup({ key, groupId }: Conversation, others: readonly Contact[]): Promise<void> {
    return this.#retryStale(() =>
      this.#inTurn(async () => {
        if ((await this.#groupOf(key)) !== undefined) return;
        const groupInfo = await this.#api.fetch("GET", `/conversations/${key}/groupinfo`);
        const { bundle, next } = groupInfo.ok
          ? await joinByCommit(this.#device, new Uint8Array(await groupInfo.arrayBuffer()))
          : await this.#firstCommit(groupId, others);
        await this.#commit(key, bundle, next);
      }),
    );
  }

  async #firstCommit(groupId: string, others: readonly Contact[]): Promise<Commit> {
    const { removal } = await this.#api.send("GET", "/mls/public-keys");
    const group = await newGroup(this.#device, fromBase64(groupId), fromBase64(removal.ed25519));
    // Includes one's own other devices.
    const claimed = await Promise.all([...others, this.self].map((user) => claimPackages(this.#api, user)));
    return commitTo(group, claimed.flat());
  }

  /** Of several commits for an epoch, the service accepts one; only then does the next epoch begin. */
  async #commit(key: string, bundle: Commit["bundle"], next: Group): Promise<void> {
    await this.#api.send("POST", "/mls/commit-bundles", { mls: bundle });
    await this.#store.save({ groups: [this.#changed(key, next)] });
  }

  async #retryStale<Result>(task: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await task();
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 409 || attempt === attempts) throw error;
        await this.#events.catchUp();
      }
    }
  }

  #handle({ id, payload, transient = false }: Notification): Promise<void> {
    return this.#inTurn(async () => {
      const all: Changes[] = [];
      for (const event of payload) {
        this.#listener.received(event);
        await this.#apply(event).then((changes) => all.push(changes), this.#listener.failed);
      }
      if (transient) return;
      this.#lastNotification = id;
      const usedPackages = all.flatMap((changes) => changes.usedPackages ?? []);
      await this.#store.save({
        lastNotification: id,
        groups: all.flatMap(({ groups = [] }) => groups),
        messages: all.flatMap(({ messages = [] }) => messages),
        usedPackages,
      });
      if (usedPackages.length > 0) await uploadPackages(this.#api, this.#store, this.#device);
      this.#listener.changed();
    });
  }

  /** @returns the changes to store */
  async #apply(event: ServiceEvent): Promise<Changes> {
    const { type, qualified_conversation: where, qualified_from: from, data, time } = event;
    const key = where && `${where.domain}/${where.id}`;
    if (type === "conversation.mls-welcome") return this.#join(key, fromBase64(data));
    if (type === "conversation.mls-message-add" && event.subconv === undefined)
      return this.#receive(key, fromBase64(data), from.id, time);
    if (type === "conversation.typing") this.#noteTyping(key, from.id, data.status === "started");
    else if (type === "conversation.delete") this.conversations.delete(key);
    else if (conversationChanges.has(type))
      await this.#refresh(key).catch(() => this.conversations.delete(key));
    else if (type === "user.connection") await this.#loadConnections();
    return {};
  }

  async #join(key: string, welcome: Uint8Array): Promise<Changes> {
    const { group, usedPackage } = await joinByWelcome(welcome, await this.#store.all("packages"));
    await this.#refresh(key);
    return { groups: [this.#changed(key, group)], usedPackages: [usedPackage] };
  }

  async #receive(key: string, message: Uint8Array, from: string, at: string): Promise<Changes> {
    const group = await this.#groupOf(key);
    if (group === undefined) return {};
    const { next, text } = await read(group, message);
    const groups = [this.#changed(key, next)];
    if (text === undefined) return { groups };
    const content: Content = JSON.parse(text);
    const messages = this.#messagesFor(content, { key, from, at });
    for (const one of messages) this.#messages.set(one.id, one);
    this.#noteTyping(key, from, false);
    const conversation = this.conversations.get(key);
    if (content.type === "call" && conversation !== undefined)
      this.#listener.called(conversation, from, content, at);
    return { groups, messages };
  }

  /** The changes caused by a received message: a new message, or one's own messages marked as read. */
  #messagesFor(
    content: Content,
    { key, from, at }: { key: string; from: string; at: string },
  ): StoredMessage[] {
    if (content.type === "text") {
      const { id, text, file } = content;
      return [{ id, conversation: key, from, at, text, readBy: [], ...(file && { file }) }];
    }
    if (content.type !== "read") return [];
    return content.ids
      .flatMap((id) => this.#messages.get(id) ?? [])
      .filter(({ conversation, readBy }) => conversation === key && !readBy.includes(from))
      .map((message) => ({ ...message, readBy: [...message.readBy, from] }));
  }

  #noteTyping(key: string, user: string, isTyping: boolean): void {
    const typing = this.#typing.get(key) ?? new Map();
    this.#typing.set(key, typing);
    clearTimeout(typing.get(user));
    typing.delete(user);
    if (isTyping)
      typing.set(
        user,
        setTimeout(() => this.#noteTyping(key, user, false), typingMilliseconds),
      );
    this.#listener.changed();
  }

  async #groupOf(key: string): Promise<Group | undefined> {
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const stored = await this.#store.get("groups", key);
    return stored && decodeGroup(stored.state);
  }

  #changed(key: string, group: Group): StoredGroup {
    this.#groups.set(key, group);
    return { id: key, state: encodeGroup(group) };
  }

  async #keep(message: StoredMessage): Promise<void> {
    this.#messages.set(message.id, message);
    await this.#store.save({ messages: [message] });
    this.#listener.changed();
  }

  async #loadPeople(team: string | undefined): Promise<void> {
    await this.#loadConnections();
    if (team === undefined) return;
    const { members } = await this.#api.send("GET", `/teams/${team}/members`);
    const others = members.filter(({ user }: { user: string }) => user !== this.self.id);
    const { domain } = this.self;
    await this.#learnPeople(
      others.map(({ user }: { user: string }) => ({ id: user, domain })),
      this.contacts,
    );
  }

  async #loadConnections(): Promise<void> {
    const { connections } = await this.#api.send("POST", "/list-connections", { json: { size: 500 } });
    const ofStatus = (wanted: string) =>
      connections
        .filter(({ status }: { status: string }) => status === wanted)
        .map(({ qualified_to }: { qualified_to: Contact }) => qualified_to);
    this.requests.clear();
    await this.#learnPeople(ofStatus("pending"), this.requests);
    await this.#learnPeople(ofStatus("accepted"), this.contacts);
    this.#listener.changed();
  }

  async #learnPeople(
    ids: readonly { id: string; domain: string }[],
    into: Map<string, Contact>,
  ): Promise<void> {
    if (ids.length === 0) return;
    const { found } = await this.#api.send("POST", "/list-users", { json: { qualified_ids: ids } });
    for (const { qualified_id, name } of found) {
      into.set(qualified_id.id, { ...qualified_id, name });
      this.#names.set(qualified_id.id, name);
    }
  }

  async #loadConversations(): Promise<void> {
    const { qualified_conversations: ids } = await this.#api.send("POST", "/conversations/list-ids", {
      json: { size: 1000 },
    });
    if (ids.length === 0) return;
    const { found } = await this.#api.send("POST", "/conversations/list", { json: { qualified_ids: ids } });
    for (const one of found) await this.#learn(one);
  }

  async #refresh(key: string): Promise<Conversation> {
    const conversation = await this.#learn(await this.#api.send("GET", `/conversations/${key}`));
    if (conversation === undefined) throw new Error("This client speaks MLS only");
    return conversation;
  }

  async #learn(view: ConversationView): Promise<Conversation | undefined> {
    const { qualified_id, type, name, protocol, group_id, members } = view;
    const kind = types[type];
    if (protocol !== "mls" || kind === undefined) return undefined;
    const ids = members.others.map((member) => member.qualified_id);
    const unknown = ids.filter(({ id }) => !this.#names.has(id));
    await this.#learnPeople(unknown, new Map());
    const others = ids.map(({ id, domain }) => ({ id, domain, name: this.nameOf(id) }));
    const key = `${qualified_id.domain}/${qualified_id.id}`;
    const title = kind === "person" ? others[0]?.name : name;
    const conversation = { key, kind, name: title ?? "Nobody else", members: others, groupId: group_id };
    this.conversations.set(key, conversation);
    return conversation;
  }

  #inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(task);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

const conversationChanges: ReadonlySet<string> = new Set([
  "conversation.create",
  "conversation.member-join",
  "conversation.member-leave",
  "conversation.rename",
  "conversation.mls-reset",
]);
