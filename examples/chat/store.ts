import type { PrivateKeyPackage } from "ts-mls";

/** A device's identity. The private keys never leave this database. */
export interface StoredDevice {
  readonly clientId: string;
  readonly userId: string;
  readonly domain: string;
  readonly signKey: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** The private half of a key package that somebody may still use to add the device to a group. */
export interface StoredPackage {
  /** Reference in hexadecimal (RFC 9420 §5.2). */
  readonly id: string;
  readonly encoded: Uint8Array;
  readonly privatePackage: PrivateKeyPackage;
}

/** The state of the device in the MLS group of a conversation. */
export interface StoredGroup {
  /** Id of the conversation, `domain/id`. */
  readonly id: string;
  readonly state: Uint8Array;
}

/** A file in a message: the location of its ciphertext, and the key, which only the group learns. */
export interface FileReference {
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  readonly asset: { readonly domain: string; readonly key: string; readonly token?: string };
  readonly key: string;
  readonly nonce: string;
}

/** A message as this device shows it. */
export interface StoredMessage {
  readonly id: string;
  /** `domain/id` */
  readonly conversation: string;
  /** Id of the user. */
  readonly from: string;
  /** ISO 8601 */
  readonly at: string;
  readonly text: string;
  readonly file?: FileReference;
  /** Ids of the users who have read it. */
  readonly readBy: readonly string[];
  /** Whether the service has accepted it, if it is one's own. */
  readonly state?: "sending" | "sent" | "failed";
}

interface Kinds {
  readonly groups: StoredGroup;
  readonly packages: StoredPackage;
  readonly messages: StoredMessage;
}

const kinds = ["groups", "packages", "messages"] as const;
const valuesName = "values";

/** Changes that must be stored together. */
export interface Changes {
  readonly groups?: readonly StoredGroup[];
  readonly packages?: readonly StoredPackage[];
  readonly usedPackages?: readonly string[];
  readonly messages?: readonly StoredMessage[];
  readonly device?: StoredDevice;
  /** Id of the notification that caused the changes; all earlier ones have been handled. */
  readonly lastNotification?: string;
}

/** The memory of a device, in IndexedDB. */
export class Store {
  readonly #database: IDBDatabase;

  private constructor(database: IDBDatabase) {
    this.#database = database;
  }

  static async open(name: string): Promise<Store> {
    const request = indexedDB.open(name, 1);
    request.addEventListener("upgradeneeded", () => {
      request.result.createObjectStore(valuesName);
      for (const kind of kinds) request.result.createObjectStore(kind, { keyPath: "id" });
    });
    return new Store(await resultOf(request));
  }

  device(): Promise<StoredDevice | undefined> {
    return this.#value("device");
  }

  lastNotification(): Promise<string | undefined> {
    return this.#value("lastNotification");
  }

  get<Kind extends keyof Kinds>(kind: Kind, id: string): Promise<Kinds[Kind] | undefined> {
    return resultOf(this.#database.transaction(kind).objectStore(kind).get(id));
  }

  all<Kind extends keyof Kinds>(kind: Kind): Promise<Kinds[Kind][]> {
    return resultOf(this.#database.transaction(kind).objectStore(kind).getAll());
  }

  /**
   * Store changes, all or none: a message must not be shown again, nor lost, because the page was closed between its
   * decryption, which uses up a key, and the note that its notification has been handled.
   */
  async save({
    device,
    lastNotification,
    groups = [],
    packages = [],
    usedPackages = [],
    messages = [],
  }: Changes): Promise<void> {
    const transaction = this.#database.transaction([valuesName, ...kinds], "readwrite");
    const saved = new Promise<void>((resolve, reject) => {
      transaction.addEventListener("complete", () => resolve());
      transaction.addEventListener("abort", () => reject(transaction.error));
    });
    const values = transaction.objectStore(valuesName);
    if (device !== undefined) values.put(device, "device");
    if (lastNotification !== undefined) values.put(lastNotification, "lastNotification");
    for (const group of groups) transaction.objectStore("groups").put(group);
    for (const one of packages) transaction.objectStore("packages").put(one);
    for (const id of usedPackages) transaction.objectStore("packages").delete(id);
    for (const message of messages) transaction.objectStore("messages").put(message);
    await saved;
  }

  /** Forget everything. */
  async clear(): Promise<void> {
    const transaction = this.#database.transaction([valuesName, ...kinds], "readwrite");
    await Promise.all([valuesName, ...kinds].map((name) => resultOf(transaction.objectStore(name).clear())));
  }

  #value<Value>(name: string): Promise<Value | undefined> {
    return resultOf(this.#database.transaction(valuesName).objectStore(valuesName).get(name));
  }
}

function resultOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
  });
}
