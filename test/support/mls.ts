import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { Aes128Gcm, CipherSuite, HkdfSha256 } from "@hpke/core";
import { HybridkemX25519Kyber768 } from "@hpke/hybridkem-x25519-kyber768";
import {
  type CiphersuiteImpl,
  type CiphersuiteName,
  type ClientState,
  type Commit,
  createApplicationMessage,
  createCommit,
  createGroup,
  createGroupInfoWithExternalPubAndRatchetTree,
  createProposal,
  decodeMlsMessage,
  defaultCapabilities,
  defaultCryptoProvider,
  type Extension,
  emptyPskIndex,
  encodeExternalSender,
  encodeMlsMessage,
  generateKeyPackageWithKey,
  getCiphersuiteFromName,
  joinGroup,
  joinGroupExternal,
  type KeyPackage,
  type MLSMessage,
  mlsExporter,
  type PrivateKeyPackage,
  type Proposal,
  processPrivateMessage,
  processPublicMessage,
  type Sender,
} from "ts-mls";
import { makeAead } from "ts-mls/crypto/implementation/default/makeAead.js";
import { makeGenericHpke } from "ts-mls/crypto/implementation/hpke.js";
import { signWithLabel } from "ts-mls/crypto/signature.js";
import { signFramedContentTBS, toTbs } from "ts-mls/framedContent.js";
import { decodeKeyPackage, encodeKeyPackage, makeKeyPackageRef } from "ts-mls/keyPackage.js";
import {
  encodeLeafNodeTBS,
  type LeafNodeCommit,
  type LeafNodeTBS,
  signLeafNodeCommit,
} from "ts-mls/leafNode.js";
import type { SignatureScheme } from "#shared/devices/mls/cipher-suites.ts";
import { type Api, type ApiAnswer, api, outcome } from "./api.ts";
import { checkTimes } from "./event-times.ts";
import { domain, type MlsDevice, newMlsDevice, newSigner, type Signer, schemes } from "./key-packages.ts";
import type { User } from "./users.ts";

/** Cipher suites that the library has names for. */
const suites: ReadonlyMap<number, CiphersuiteName> = new Map([
  [1, "MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519"],
  [2, "MLS_128_DHKEMP256_AES128GCM_SHA256_P256"],
  [5, "MLS_256_DHKEMP521_AES256GCM_SHA512_P521"],
  [7, "MLS_256_DHKEMP384_AES256GCM_SHA384_P384"],
]);

/** X25519 and Kyber together, otherwise like suite 1. The library takes a number in place of a name. */
const hybridSuite = 0xf031;
const hashOf = {
  ed25519: undefined,
  ecdsa_secp256r1_sha256: "sha256",
  ecdsa_secp384r1_sha384: "sha384",
  ecdsa_secp521r1_sha512: "sha512",
} as const;
const coordinateOf = {
  ecdsa_secp256r1_sha256: ["P-256", 32],
  ecdsa_secp384r1_sha384: ["P-384", 48],
  ecdsa_secp521r1_sha512: ["P-521", 66],
} as const;

const schemeOf = (number: number): SignatureScheme => {
  const scheme = schemes.get(number);
  if (scheme === undefined) throw new Error(`No implementation of suite ${number}`);
  return scheme;
};

/** A suite whose signatures Node makes: the library needs a package of its own for some. */
async function implementationOf(number: number): Promise<CiphersuiteImpl> {
  if (number === hybridSuite) return hybridImplementation();
  const name = suites.get(number);
  if (name === undefined) throw new Error(`No implementation of suite ${number}`);
  const suite = getCiphersuiteFromName(name);
  const scheme = schemeOf(number);
  const implementation = await defaultCryptoProvider.getCiphersuiteImpl({ ...suite, signature: "Ed25519" });
  const hash = hashOf[scheme];
  if (scheme === "ed25519") return implementation;
  const [crv, bytes] = coordinateOf[scheme];
  const part = (raw: Uint8Array, start: number) =>
    Buffer.from(raw.subarray(start, start + bytes)).toString("base64url");
  return {
    ...implementation,
    signature: {
      sign: async (key, message) =>
        sign(hash, message, createPrivateKey({ key: Buffer.from(key), format: "der", type: "pkcs8" })),
      verify: async (raw, message, signature) => {
        const jwk = { kty: "EC", crv, x: part(raw, 1), y: part(raw, 1 + bytes) };
        return verify(hash, message, createPublicKey({ key: jwk, format: "jwk" }), signature);
      },
      keygen: () => Promise.reject(new Error("Not expected to be used")),
    },
  };
}

async function hybridImplementation(): Promise<CiphersuiteImpl> {
  const { hpke } = getCiphersuiteFromName("MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519");
  const aead = await makeAead(hpke.aead);
  const suite = new CipherSuite({
    kem: new HybridkemX25519Kyber768(),
    kdf: new HkdfSha256(),
    aead: new Aes128Gcm(),
  });
  return {
    ...(await implementationOf(1)),
    hpke: await makeGenericHpke(hpke, aead[0], suite),
    name: String(hybridSuite) as CiphersuiteName,
  };
}

/** The parts of a commit that a test changes. */
export interface AlterableCommit {
  epoch: bigint;
  sender: Sender;
  readonly commit: Commit;
}

/** A commit that a device has made and not sent yet. */
export interface PreparedCommit {
  readonly commit: Buffer;
  readonly groupInfo: Buffer;
  readonly welcome: Buffer | undefined;
  /** The device's state if it succeeds. */
  readonly next: ClientState;
}

interface OwnPackage {
  readonly publicPackage: KeyPackage;
  readonly privatePackage: PrivateKeyPackage;
}

/** An event as a device reads it. */
interface Notification {
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
  readonly payload: readonly any[];
}

/** A device of a user with a real implementation of MLS, in one group at a time. */
export class MlsClient {
  readonly user: User;
  readonly device: MlsDevice;
  readonly suite: number;
  /** The subconversation whose group the device is in; undefined for that of the conversation itself. */
  readonly subconv: string | undefined;
  /** Texts that the device has decrypted, in the order of their arrival. */
  readonly texts: string[] = [];
  readonly #implementation: CiphersuiteImpl;
  readonly #api: Api;
  readonly #packages = new Map<string, OwnPackage>();
  /** The last notification that has been handled. */
  #last: string | undefined;
  #state: ClientState | undefined;
  /** Commits of which the device does not know whether one has begun the next epoch. */
  #unanswered: PreparedCommit[] = [];

  constructor(
    user: User,
    device: MlsDevice,
    suite: number,
    implementation: CiphersuiteImpl,
    publicApi: Api,
    subconv?: string,
  ) {
    this.user = user;
    this.device = device;
    this.suite = suite;
    this.subconv = subconv;
    this.#implementation = implementation;
    this.#api = publicApi;
  }

  get clientId(): string {
    return this.device.clientId;
  }

  get token(): string {
    return this.device.token;
  }

  get isInGroup(): boolean {
    return this.#state !== undefined;
  }

  get state(): ClientState {
    if (this.#state === undefined) throw new Error("The device is in no group");
    return this.#state;
  }

  set state(next: ClientState) {
    this.#state = next;
  }

  get epoch(): number {
    return Number(this.state.groupContext.epoch);
  }

  get leafIndex(): number {
    return this.state.privatePath.leafIndex;
  }

  get #signer(): Signer {
    return this.device.signers[schemeOf(this.suite)];
  }

  /** The same device in the group of a subconversation, with a state of its own. */
  within(subconv: string): MlsClient {
    return new MlsClient(this.user, this.device, this.suite, this.#implementation, this.#api, subconv);
  }

  /** A secret that the devices in the group share in this epoch, such as the key of a call. */
  async exported(): Promise<string> {
    const { exporterSecret } = this.state.keySchedule;
    const secret = await mlsExporter(exporterSecret, "call", Buffer.from("key"), 32, this.#implementation);
    return Buffer.from(secret).toString("hex");
  }

  /** Make a key package, of this device unless another identity has a signer of its own. */
  async makePackage(
    identity = this.device.identity,
    { privateKey, raw }: Signer = this.#signer,
  ): Promise<OwnPackage> {
    const now = Math.floor(Date.now() / 1000);
    const made = await generateKeyPackageWithKey(
      { credentialType: "basic", identity: Buffer.from(identity) },
      defaultCapabilities(),
      { notBefore: BigInt(now - 60), notAfter: BigInt(now + 86_400) },
      [],
      { signKey: privateKey.export({ format: "der", type: "pkcs8" }), publicKey: raw },
      this.#implementation,
    );
    const reference = await makeKeyPackageRef(made.publicPackage, this.#implementation.hash);
    this.#packages.set(Buffer.from(reference).toString("hex"), made);
    return made;
  }

  /** Make key packages and upload them. */
  async upload(count = 1): Promise<void> {
    const made = await Promise.all(Array.from({ length: count }, () => this.makePackage()));
    const key_packages = made.map(({ publicPackage }) =>
      Buffer.from(encodeKeyPackage(publicPackage)).toString("base64"),
    );
    const path = `/v9/mls/key-packages/self/${this.clientId}`;
    const { status, body } = await this.#api("POST", path, { token: this.token, json: { key_packages } });
    if (status !== 201) throw new Error(`The key packages were refused: ${body.message}`);
  }

  /** Begin a group on this device alone; the service may propose to it to remove devices. */
  async create(groupId: string): Promise<void> {
    const { publicPackage, privatePackage } = await this.makePackage();
    const { body } = await this.#api("GET", "/v9/mls/public-keys", { token: this.token });
    const credential = { credentialType: "basic", identity: Buffer.from("removals") } as const;
    const sender = {
      signaturePublicKey: Buffer.from(body.removal[this.#signer.scheme], "base64"),
      credential,
    };
    const extensions: Extension[] = [
      { extensionType: "external_senders", extensionData: encodeExternalSender(sender) },
    ];
    const id = Buffer.from(groupId, "base64");
    this.#state = await createGroup(id, publicPackage, privatePackage, extensions, this.#implementation);
  }

  /** Claim a key package of each device of a user. */
  async claim({ id }: Pick<User, "id">): Promise<KeyPackage[]> {
    const path = `/v9/mls/key-packages/claim/${domain}/${id}?ciphersuite=${this.suite}`;
    const { body } = await this.#api("POST", path, { token: this.token });
    return body.key_packages.map((one: { key_package: string }) => {
      const [decoded] = decodeKeyPackage(Buffer.from(one.key_package, "base64"), 0) ?? [];
      return decoded;
    });
  }

  /** Make a commit without sending it. */
  async prepare(...extraProposals: Proposal[]): Promise<PreparedCommit> {
    const { commit, welcome, newState } = await createCommit(
      { state: this.state, cipherSuite: this.#implementation },
      { extraProposals, wireAsPublicMessage: true, ratchetTreeExtension: true },
    );
    return {
      commit: encoded(commit),
      groupInfo: await this.groupInfoOf(newState),
      welcome: welcome && encoded({ wireformat: "mls_welcome", version: "mls10", welcome }),
      next: newState,
    };
  }

  async groupInfoOf(state: ClientState, extensions: Extension[] = []): Promise<Buffer> {
    const groupInfo = await createGroupInfoWithExternalPubAndRatchetTree(
      state,
      extensions,
      this.#implementation,
    );
    return encoded({ wireformat: "mls_group_info", version: "mls10", groupInfo });
  }

  /**
   * Send a commit; if it succeeds, the device goes on in the next epoch. If the answer is lost, the next message or
   * `settle` shows whether it has succeeded.
   */
  async send(prepared: PreparedCommit): Promise<ApiAnswer> {
    const { commit, groupInfo, welcome = Buffer.alloc(0), next } = prepared;
    this.#unanswered.push(prepared);
    const answer = await this.post("/v9/mls/commit-bundles", Buffer.concat([commit, groupInfo, welcome]));
    if (answer.status === 201) this.#goOn(next);
    else if (answer.status < 500) this.#unanswered = this.#unanswered.filter((one) => one !== prepared);
    return answer;
  }

  /** Find out whether a commit without an answer has succeeded. */
  async settle(conversationId: string): Promise<void> {
    if (this.#unanswered.length === 0) return;
    const { bytes } = await this.groupInfo(conversationId);
    const successful = this.#unanswered.find(({ groupInfo }) => bytes?.equals(groupInfo));
    if (successful !== undefined) this.#goOn(successful.next);
  }

  #goOn(next: ClientState): void {
    if (next.groupContext.epoch !== this.#state?.groupContext.epoch) this.#unanswered = [];
    this.#state = next;
  }

  /** Commit, and send it. */
  async commit(...proposals: Proposal[]): Promise<ApiAnswer> {
    return this.send(await this.prepare(...proposals));
  }

  /** Commit and expect success. */
  async mustCommit(...proposals: Proposal[]): Promise<ApiAnswer> {
    const answer = await this.commit(...proposals);
    if (answer.status !== 201)
      throw new Error(`The commit was refused: ${outcome(answer)} ${answer.body.message}`);
    return answer;
  }

  /** Add all devices of users. */
  async add(...users: readonly Pick<User, "id">[]): Promise<ApiAnswer> {
    return this.mustCommit(...(await this.additionsOf(...users)));
  }

  /** Proposals to add all devices of users that have key packages. */
  async additionsOf(...users: readonly Pick<User, "id">[]): Promise<Proposal[]> {
    const claimed = await Promise.all(users.map((user) => this.claim(user)));
    return claimed.flat().map(addition);
  }

  /**
   * Change a commit that was made, and sign it again, so that the service sees what a faulty or malicious device sends.
   * @param groupContext of the epoch that the commit ends
   */
  async alter(
    prepared: PreparedCommit,
    change: (message: AlterableCommit) => void | Promise<void>,
    groupContext = this.state.groupContext,
  ): Promise<PreparedCommit> {
    const message = decoded(prepared.commit);
    if (message.wireformat !== "mls_public_message") throw new Error("Not a public message");
    const { publicMessage } = message;
    const { content, auth } = publicMessage;
    if (content.contentType !== "commit") throw new Error("Not a commit");
    await change(content);
    const tbs = toTbs(content, "mls_public_message", groupContext);
    const key = this.#signer.privateKey.export({ format: "der", type: "pkcs8" });
    auth.signature = await signFramedContentTBS(key, tbs, this.#implementation.signature);
    return { ...prepared, commit: encoded({ ...message, publicMessage }) };
  }

  /** Give the update path of a commit another signature key, by which its leaf is signed then. */
  async withOtherKey(prepared: PreparedCommit): Promise<PreparedCommit> {
    const { privateKey, raw } = newSigner(this.#signer.scheme);
    const key = privateKey.export({ format: "der", type: "pkcs8" });
    const { groupId } = this.state.groupContext;
    const sign = (leaf: LeafNodeCommit) =>
      signLeafNodeCommit(
        { ...leaf, signaturePublicKey: raw, groupId, leafIndex: this.leafIndex },
        key,
        this.#implementation.signature,
      );
    return this.alter(prepared, async ({ commit }) => {
      if (commit.path !== undefined) commit.path.leafNode = await sign(commit.path.leafNode);
    });
  }

  /** A proposal as a public message, which the device keeps until the next commit. */
  async propose(proposal: Proposal): Promise<Buffer> {
    const made = await createProposal(this.state, true, proposal, this.#implementation);
    this.#state = made.newState;
    return encoded(made.message);
  }

  /** A proposal to give the device's leaf new keys, its signature key if another signer is given. */
  async update({ privateKey, raw }: Signer = this.#signer): Promise<Proposal> {
    const { ratchetTree, groupContext, privatePath } = this.state;
    const node = ratchetTree[privatePath.leafIndex * 2];
    if (node?.nodeType !== "leaf") throw new Error("The device has no leaf");
    const { credential, capabilities } = node.leaf;
    const { publicPackage } = await this.makePackage();
    const leaf = {
      hpkePublicKey: publicPackage.leafNode.hpkePublicKey,
      signaturePublicKey: raw,
      credential,
      capabilities,
      leafNodeSource: "update" as const,
      extensions: [],
    };
    const { groupId } = groupContext;
    const content: LeafNodeTBS = { ...leaf, groupId, leafIndex: privatePath.leafIndex };
    const key = privateKey.export({ format: "der", type: "pkcs8" });
    const signature = await signWithLabel(
      key,
      "LeafNodeTBS",
      encodeLeafNodeTBS(content),
      this.#implementation.signature,
    );
    return { proposalType: "update", update: { leafNode: { ...leaf, signature } } };
  }

  /** A text for the group, encrypted. */
  async encrypt(text: string): Promise<Buffer> {
    const made = await createApplicationMessage(this.state, Buffer.from(text), this.#implementation);
    this.#state = made.newState;
    return encoded({
      wireformat: "mls_private_message",
      version: "mls10",
      privateMessage: made.privateMessage,
    });
  }

  /** Send a text to the group. */
  async write(text: string): Promise<ApiAnswer> {
    return this.post("/v9/mls/messages", await this.encrypt(text));
  }

  /** Make the commit by which the device joins a group by itself. @param isRejoining whether it replaces itself */
  async prepareJoin(conversationId: string, { isRejoining = false } = {}): Promise<PreparedCommit> {
    const found = await this.groupInfo(conversationId);
    const message = found.bytes && decoded(found.bytes);
    if (message?.wireformat !== "mls_group_info") throw new Error(`No group info: ${found.status}`);
    const { publicPackage, privatePackage } = await this.makePackage();
    const { publicMessage, newState } = await joinGroupExternal(
      message.groupInfo,
      publicPackage,
      privatePackage,
      isRejoining,
      this.#implementation,
    );
    return {
      commit: encoded({ wireformat: "mls_public_message", version: "mls10", publicMessage }),
      groupInfo: await this.groupInfoOf(newState),
      welcome: undefined,
      next: newState,
    };
  }

  /** Get the group info of a conversation, and put it into a message, as it was uploaded. */
  async groupInfo(conversationId: string): Promise<{ status: number; bytes?: Buffer }> {
    const place = this.subconv === undefined ? "" : `/subconversations/${encodeURIComponent(this.subconv)}`;
    const path = `/v9/conversations/${domain}/${conversationId}${place}/groupinfo`;
    const { status, bytes } = await this.#api("GET", path, { token: this.token });
    const framing = Buffer.from([0, 1, 0, 4]); // MLS 1.0, mls_group_info
    return status === 200 ? { status, bytes: Buffer.concat([framing, bytes]) } : { status };
  }

  /** Send an MLS message, or several. */
  post(path: string, bytes: Buffer): Promise<ApiAnswer> {
    return this.#api("POST", path, {
      token: this.token,
      body: new Uint8Array(bytes),
      headers: { "content-type": "message/mls" },
    });
  }

  /** The notifications that the device can see, all or those after one. */
  async notifications(since?: string): Promise<Notification[]> {
    const query = `client=${this.clientId}&size=10000${since === undefined ? "" : `&since=${since}`}`;
    const { body } = await this.#api("GET", `/v9/notifications?${query}`, { token: this.token });
    return body.notifications;
  }

  /** Types of the events of a conversation, in their order. */
  async eventsOf(conversationId: string): Promise<string[]> {
    const notifications = await this.notifications();
    checkTimes(notifications);
    const events = notifications.flatMap(({ payload }) => payload);
    return events.filter(({ conversation }) => conversation === conversationId).map(({ type }) => type);
  }

  /** Handle all new events of MLS, in their order. */
  async catchUp(): Promise<void> {
    for (const { id, payload } of await this.notifications(this.#last)) {
      this.#last = id;
      for (const event of payload) await this.handle(event);
    }
  }

  /** Handle an event. */
  async handle({ type, data, subconv }: { type: string; data: unknown; subconv?: string }): Promise<void> {
    if (!String(type).startsWith("conversation.") || subconv !== this.subconv) return;
    if (type === "conversation.mls-welcome") await this.#join(Buffer.from(String(data), "base64"));
    if (type === "conversation.mls-message-add") await this.#process(Buffer.from(String(data), "base64"));
  }

  async #join(bytes: Buffer): Promise<void> {
    const message = decoded(bytes);
    if (message.wireformat !== "mls_welcome") throw new Error("Not a welcome");
    const own = message.welcome.secrets
      .map(({ newMember }) => this.#packages.get(Buffer.from(newMember).toString("hex")))
      .find((found) => found !== undefined);
    if (own === undefined) throw new Error("The welcome is for others");
    const { publicPackage, privatePackage } = own;
    this.#state = await joinGroup(
      message.welcome,
      publicPackage,
      privatePackage,
      emptyPskIndex,
      this.#implementation,
    );
  }

  async #process(bytes: Buffer): Promise<void> {
    const message = decoded(bytes);
    if (message.wireformat === "mls_public_message") {
      const process = (state: ClientState) =>
        processPublicMessage(state, message.publicMessage, emptyPskIndex, this.#implementation);
      // A message of the next epoch shows that a commit of this device has begun that epoch.
      const own = this.#unanswered
        .map(({ next }) => next)
        .filter(({ groupContext }) => groupContext.epoch === message.publicMessage.content.epoch);
      const { newState } = await Promise.any((own.length > 0 ? own : [this.state]).map(process));
      this.#goOn(newState);
    } else if (message.wireformat === "mls_private_message") {
      const result = await processPrivateMessage(
        this.state,
        message.privateMessage,
        emptyPskIndex,
        this.#implementation,
      );
      this.#state = result.newState;
      if (result.kind === "applicationMessage") this.texts.push(Buffer.from(result.message).toString());
    } else throw new Error(`Not a message to the group: ${message.wireformat}`);
  }
}

/** Register a device that takes part in MLS groups, with key packages. */
export async function newMlsClient(
  user: User,
  {
    suite = 1,
    packages = 1,
    publicApi = api,
    prefix,
  }: { suite?: number; packages?: number; publicApi?: Api; prefix?: string } = {},
): Promise<MlsClient> {
  const [device, implementation] = await Promise.all([
    newMlsDevice(user, { publicApi, prefix }),
    implementationOf(suite),
  ]);
  const client = new MlsClient(user, device, suite, implementation, publicApi);
  if (packages > 0) await client.upload(packages);
  return client;
}

/** A device that is registered already, perhaps with something forged. */
export const newMlsClientOf = async (user: User, device: MlsDevice, suite = 1): Promise<MlsClient> =>
  new MlsClient(user, device, suite, await implementationOf(suite), api);

/** A proposal to add a device. */
export const addition = (keyPackage: KeyPackage): Proposal => ({ proposalType: "add", add: { keyPackage } });

/** A proposal to remove a device. */
export const removal = (removed: number): Proposal => ({ proposalType: "remove", remove: { removed } });

const encoded = (message: MLSMessage): Buffer => Buffer.from(encodeMlsMessage(message));

function decoded(bytes: Buffer): MLSMessage {
  const [message] = decodeMlsMessage(bytes, 0) ?? [];
  if (message === undefined) throw new Error("Not an MLS message");
  return message;
}
