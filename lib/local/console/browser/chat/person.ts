import { fromBase64, toBase64 } from "./base64.ts";
import { MlsDevice } from "./mls-device.ts";
import { PaneApi, type PaneCall } from "./pane-api.ts";
import { newLastPrekey } from "./prekeys.ts";

/** An event as a device gets it. */
export interface Incoming {
  readonly type: string;
  /** An MLS message, if the event brings one. */
  readonly mls: Uint8Array | undefined;
}

export interface Listener {
  readonly called: (call: PaneCall) => void;
  readonly received: (event: Incoming) => void;
  /** A text of somebody else, decrypted. */
  readonly read: (text: string) => void;
  readonly failed: (error: unknown) => void;
}

const apiVersion = "/v9";
const password = "correct horse battery";
const mlsEvents: ReadonlySet<string> = new Set(["conversation.mls-welcome", "conversation.mls-message-add"]);

/** A person with an account and one device, in one conversation. */
export class Person {
  readonly name: string;
  readonly id: string;
  readonly domain: string;
  readonly #api: PaneApi;
  readonly #device: MlsDevice;
  readonly #listener: Listener;
  #socket: WebSocket | undefined;
  /** Messages are made and read one at a time, because each changes the state of the group. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(
    name: string,
    { id, domain }: { id: string; domain: string },
    { api, device, listener }: { api: PaneApi; device: MlsDevice; listener: Listener },
  ) {
    this.name = name;
    this.id = id;
    this.domain = domain;
    this.#api = api;
    this.#device = device;
    this.#listener = listener;
  }

  /** Register an account with the code of its mail, log in, and register a device with a key package. */
  static async signUp(name: string, listener: Listener): Promise<Person> {
    const api = new PaneApi(listener.called);
    const email = `${name.toLowerCase()}-${crypto.randomUUID()}@chat.example`;
    const { qualified_id } = await api.send("POST", `${apiVersion}/register`, {
      json: { name, email, password },
    });
    await api.send("POST", `${apiVersion}/activate`, { json: { email, code: await codeSentTo(email) } });
    const login = await api.send("POST", `${apiVersion}/login?persist=true`, { json: { email, password } });
    api.token = login.access_token;

    const device = await MlsDevice.create();
    const registered = await api.send("POST", `${apiVersion}/clients`, {
      json: {
        type: "permanent",
        lastkey: newLastPrekey(),
        prekeys: [],
        password,
        mls_public_keys: { ed25519: toBase64(device.signaturePublicKey) },
      },
    });
    api.clientId = registered.id;
    await api.refresh();
    device.identifyAs(`${qualified_id.id}:${registered.id}@${qualified_id.domain}`);
    await api.send("POST", `${apiVersion}/mls/key-packages/self/${registered.id}`, {
      json: { key_packages: [toBase64(await device.newKeyPackage())] },
    });
    return new Person(name, qualified_id, { api, device, listener });
  }

  /** Open the socket on which events arrive. @param publicUrl of the API */
  async listen(publicUrl: string): Promise<void> {
    const { token = "", clientId = "" } = this.#api;
    const query = new URLSearchParams({ access_token: token, client: clientId });
    const socket = new WebSocket(`${publicUrl.replace(/^http/, "ws")}/await?${query}`);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", ({ data }) => this.#receive(data));
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve);
      socket.addEventListener("error", () => reject(new Error(`${this.name}'s socket was refused`)));
    });
    socket.addEventListener("close", () => {
      if (socket === this.#socket) this.#listener.failed(new Error(`${this.name}'s socket has closed`));
    });
    this.#socket = socket;
  }

  /** Become friends, which is what a conversation needs. */
  async connectWith(other: Person): Promise<void> {
    await this.#api.send("POST", `${apiVersion}/connections/${other.domain}/${other.id}`);
    await other.#api.send("PUT", `${apiVersion}/connections/${this.domain}/${this.id}`, {
      json: { status: "accepted" },
    });
  }

  /** Create a conversation and its MLS group, and add somebody's device to it. */
  async converseWith(other: Person): Promise<void> {
    const conversation = await this.#api.send("POST", `${apiVersion}/conversations`, {
      json: { name: `${this.name} and ${other.name}`, protocol: "mls", qualified_users: [] },
    });
    const { removal } = await this.#api.send("GET", `${apiVersion}/mls/public-keys`);
    await this.#device.createGroup(fromBase64(conversation.group_id), fromBase64(removal.ed25519));
    const claim = `${apiVersion}/mls/key-packages/claim/${other.domain}/${other.id}?ciphersuite=1`;
    const { key_packages } = await this.#api.send("POST", claim);
    const { bundle, confirm } = await this.#device.add(
      key_packages.map((claimed: { key_package: string }) => fromBase64(claimed.key_package)),
    );
    await this.#api.send("POST", `${apiVersion}/mls/commit-bundles`, { mls: bundle });
    confirm();
  }

  /** Resolves when the device is in the group. */
  async joined(): Promise<void> {
    while (this.#device.epoch === undefined) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** Encrypt a text for the group and send it. */
  write(text: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#api.send("POST", `${apiVersion}/mls/messages`, { mls: await this.#device.encrypt(text) });
    });
  }

  leave(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #receive(frame: ArrayBuffer | string): void {
    const text = typeof frame === "string" ? frame : new TextDecoder().decode(frame);
    for (const { type, data } of JSON.parse(text).payload ?? []) {
      const mls = mlsEvents.has(type) ? fromBase64(data) : undefined;
      this.#listener.received({ type, mls });
      if (mls === undefined) continue;
      const reading = this.#inTurn(async () => {
        const read = await this.#device.read(mls);
        if (read !== undefined) this.#listener.read(read);
      });
      reading.catch(this.#listener.failed);
    }
  }

  #inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(task);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

/** The code in the mail that the console has received. */
async function codeSentTo(email: string): Promise<string> {
  const response = await fetch(`/messages?${new URLSearchParams({ to: email, wait: "20" })}`);
  const [mail] = (await response.json()) as { headers: Record<string, string> }[];
  const code = Object.entries(mail?.headers ?? {}).find(([name]) => /^x-.+-code$/i.test(name))?.[1];
  if (code === undefined) throw new Error(`No code was sent to ${email}`);
  return code;
}
