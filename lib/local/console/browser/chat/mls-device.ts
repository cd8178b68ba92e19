import {
  type CiphersuiteImpl,
  type ClientState,
  createApplicationMessage,
  createCommit,
  createGroup,
  createGroupInfoWithExternalPubAndRatchetTree,
  decodeMlsMessage,
  defaultCapabilities,
  defaultCryptoProvider,
  emptyPskIndex,
  encodeExternalSender,
  encodeMlsMessage,
  generateKeyPackageWithKey,
  getCiphersuiteFromName,
  joinGroup,
  type KeyPackage,
  type MLSMessage,
  type PrivateKeyPackage,
  processPrivateMessage,
  processPublicMessage,
} from "ts-mls";
import { decodeKeyPackage, encodeKeyPackage } from "ts-mls/keyPackage.js";

/** Cipher suite 1. */
const suiteName = "MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519";
const version = "mls10";
const daySeconds = 86_400;

type Bytes = Uint8Array<ArrayBuffer>;

interface KeyPair {
  readonly signKey: Uint8Array;
  readonly publicKey: Uint8Array;
}

interface OwnPackage {
  readonly publicPackage: KeyPackage;
  readonly privatePackage: PrivateKeyPackage;
}

/** The cryptography of a device, in one MLS group (RFC 9420). It makes messages and reads them, and sends nothing. */
export class MlsDevice {
  readonly #suite: CiphersuiteImpl;
  readonly #keys: KeyPair;
  /** `user:client@domain`, which the service expects in the device's credential. */
  #identity = "";
  #package: OwnPackage | undefined;
  #state: ClientState | undefined;

  private constructor(suite: CiphersuiteImpl, keys: KeyPair) {
    this.#suite = suite;
    this.#keys = keys;
  }

  /** Create a device with a new signature key. */
  static async create(): Promise<MlsDevice> {
    const suite = await defaultCryptoProvider.getCiphersuiteImpl(getCiphersuiteFromName(suiteName));
    return new MlsDevice(suite, await suite.signature.keygen());
  }

  get signaturePublicKey(): Uint8Array {
    return this.#keys.publicKey;
  }

  get epoch(): bigint | undefined {
    return this.#state?.groupContext.epoch;
  }

  identifyAs(identity: string): void {
    this.#identity = identity;
  }

  /** Make a key package, by which others can add the device to a group. */
  async newKeyPackage(): Promise<Uint8Array> {
    return encodeKeyPackage((await this.#newPackage()).publicPackage);
  }

  /** Begin a group on this device alone. @param removalKey by which the service signs proposals to remove devices */
  async createGroup(groupId: Uint8Array, removalKey: Uint8Array): Promise<void> {
    const { publicPackage, privatePackage } = await this.#newPackage();
    const sender = {
      signaturePublicKey: removalKey,
      credential: { credentialType: "basic", identity: new TextEncoder().encode("service") },
    } as const;
    const extension = {
      extensionType: "external_senders",
      extensionData: encodeExternalSender(sender),
    } as const;
    this.#state = await createGroup(groupId, publicPackage, privatePackage, [extension], this.#suite);
  }

  /** Make the commit bundle that adds devices: the commit, the new group info and the welcome. */
  async add(keyPackages: readonly Uint8Array[]): Promise<{ bundle: Bytes; confirm: () => void }> {
    const extraProposals = keyPackages.map((encoded) => {
      const [keyPackage] = decodeKeyPackage(encoded, 0) ?? [];
      if (keyPackage === undefined) throw new Error("Not a key package");
      return { proposalType: "add" as const, add: { keyPackage } };
    });
    const { commit, welcome, newState } = await createCommit(
      { state: this.#group, cipherSuite: this.#suite },
      { extraProposals, wireAsPublicMessage: true, ratchetTreeExtension: true },
    );
    if (welcome === undefined) throw new Error("Nobody to welcome");
    const groupInfo = await createGroupInfoWithExternalPubAndRatchetTree(newState, [], this.#suite);
    const bundle = joined(
      encodeMlsMessage(commit),
      encodeMlsMessage({ wireformat: "mls_group_info", version, groupInfo }),
      encodeMlsMessage({ wireformat: "mls_welcome", version, welcome }),
    );
    // The next epoch begins only once the service has accepted the commit.
    const confirm = () => {
      this.#state = newState;
    };
    return { bundle, confirm };
  }

  /** Encrypt a text for the group. */
  async encrypt(text: string): Promise<Bytes> {
    const plaintext = new TextEncoder().encode(text);
    const { newState, privateMessage } = await createApplicationMessage(this.#group, plaintext, this.#suite);
    this.#state = newState;
    return joined(encodeMlsMessage({ wireformat: "mls_private_message", version, privateMessage }));
  }

  /** Read a message of the service: a welcome, a commit, or a text of somebody else. @returns the text, if it is one */
  async read(bytes: Uint8Array): Promise<string | undefined> {
    const message = decode(bytes);
    if (message.wireformat === "mls_welcome") {
      if (this.#package === undefined) throw new Error("The welcome is for another device");
      const { publicPackage, privatePackage } = this.#package;
      this.#state = await joinGroup(
        message.welcome,
        publicPackage,
        privatePackage,
        emptyPskIndex,
        this.#suite,
      );
      return undefined;
    }
    if (message.wireformat === "mls_public_message") {
      const read = await processPublicMessage(this.#group, message.publicMessage, emptyPskIndex, this.#suite);
      this.#state = read.newState;
      return undefined;
    }
    if (message.wireformat !== "mls_private_message") throw new Error(`Unexpected ${message.wireformat}`);
    const read = await processPrivateMessage(this.#group, message.privateMessage, emptyPskIndex, this.#suite);
    this.#state = read.newState;
    return read.kind === "applicationMessage" ? new TextDecoder().decode(read.message) : undefined;
  }

  get #group(): ClientState {
    if (this.#state === undefined) throw new Error("The device is in no group");
    return this.#state;
  }

  async #newPackage(): Promise<OwnPackage> {
    const now = Math.floor(Date.now() / 1000);
    this.#package = await generateKeyPackageWithKey(
      { credentialType: "basic", identity: new TextEncoder().encode(this.#identity) },
      defaultCapabilities(),
      { notBefore: BigInt(now - 60), notAfter: BigInt(now + daySeconds) },
      [],
      this.#keys,
      this.#suite,
    );
    return this.#package;
  }
}

function decode(bytes: Uint8Array): MLSMessage {
  const [message] = decodeMlsMessage(bytes, 0) ?? [];
  if (message === undefined) throw new Error("Not an MLS message");
  return message;
}

function joined(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
