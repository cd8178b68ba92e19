import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type { CiphersuiteName, Credential } from "ts-mls";
import type { Signature } from "ts-mls/crypto/signature.js";
import {
  decodeKeyPackage,
  encodeKeyPackage,
  type KeyPackageTBS,
  makeKeyPackageRef,
  signKeyPackage,
} from "ts-mls/keyPackage.js";
import { type LeafNodeTBSKeyPackage, signLeafNodeKeyPackage } from "ts-mls/leafNode.js";
import { type SignatureScheme, signatureScheme } from "#shared/devices/mls/cipher-suites.ts";
import { type PublicJwk, toRawKey } from "#shared/devices/mls/signature-key.ts";
import type { Prekey } from "#shared/devices/prekey.ts";
import { type Api, api } from "./api.ts";
import { lastPrekey } from "./prekeys.ts";
import { signedToken } from "./tokens.ts";
import { newUser, type User } from "./users.ts";

/** A device's key pair for a signature scheme. */
export interface Signer {
  readonly scheme: SignatureScheme;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  /** The public key as MLS encodes it. */
  readonly raw: Buffer;
}

const keyTypes = {
  ed25519: { generate: () => generateKeyPairSync("ed25519"), hash: undefined },
  ecdsa_secp256r1_sha256: {
    generate: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
    hash: "sha256",
  },
  ecdsa_secp384r1_sha384: {
    generate: () => generateKeyPairSync("ec", { namedCurve: "P-384" }),
    hash: "sha384",
  },
  ecdsa_secp521r1_sha512: {
    generate: () => generateKeyPairSync("ec", { namedCurve: "P-521" }),
    hash: "sha512",
  },
} as const;

/** Generate a key pair for a signature scheme. */
export function newSigner(scheme: SignatureScheme = "ed25519"): Signer {
  const { publicKey, privateKey } = keyTypes[scheme].generate();
  return { scheme, publicKey, privateKey, raw: toRawKey(publicKey.export({ format: "jwk" }) as PublicJwk) };
}

/** Signature schemes by cipher suite, for all supported suites. */
export const schemes: ReadonlyMap<number, SignatureScheme> = new Map([
  [0x0001, "ed25519"],
  [0x0002, "ecdsa_secp256r1_sha256"],
  [0x0005, "ecdsa_secp521r1_sha512"],
  [0x0007, "ecdsa_secp384r1_sha384"],
  [0xf031, "ed25519"],
]);

const daySeconds = 86_400;
/** Domain of the stacks in tests. */
export const domain = "parley.localhost";

/** Differences from a valid key package. */
export interface KeyPackageWish {
  readonly signer: Signer;
  /** Identity of a basic credential. */
  readonly identity?: string;
  readonly credential?: Credential;
  readonly suite?: number;
  /** Unix seconds. */
  readonly notBefore?: number;
  readonly notAfter?: number;
  /** Changes the leaf before it is signed. */
  readonly leaf?: Partial<LeafNodeTBSKeyPackage>;
  /** Signs the leaf instead of the signer. */
  readonly leafSigner?: Signer;
  /** Signs the package instead of the signer. */
  readonly packageSigner?: Signer;
}

/** Create a key package, encoded and signed by an independent implementation of MLS. */
export async function newKeyPackage({
  signer,
  identity = "",
  credential = { credentialType: "basic", identity: Buffer.from(identity) },
  suite = 1,
  notBefore = Math.floor(Date.now() / 1000) - 60,
  notAfter = Math.floor(Date.now() / 1000) + daySeconds,
  leaf = {},
  leafSigner = signer,
  packageSigner = signer,
}: KeyPackageWish): Promise<Buffer> {
  // The encoder has no name for this suite, but accepts its number.
  const cipherSuite = String(suite) as CiphersuiteName;
  const leafNode: LeafNodeTBSKeyPackage = {
    hpkePublicKey: randomBytes(32),
    signaturePublicKey: signer.raw,
    credential,
    capabilities: {
      versions: ["mls10"],
      ciphersuites: [cipherSuite],
      extensions: [],
      proposals: [],
      credentials: ["basic", "x509"],
    },
    leafNodeSource: "key_package",
    lifetime: { notBefore: BigInt(notBefore), notAfter: BigInt(notAfter) },
    extensions: [{ extensionType: 0x0a0a, extensionData: randomBytes(100) }],
    ...leaf,
  };
  const content: KeyPackageTBS = {
    version: "mls10",
    cipherSuite,
    initKey: randomBytes(32),
    leafNode: await signLeafNodeKeyPackage(leafNode, unused, signatureOf(leafSigner)),
    extensions: [],
  };
  return Buffer.from(encodeKeyPackage(await signKeyPackage(content, unused, signatureOf(packageSigner))));
}

/** The `KeyPackageRef` of a key package, computed by an independent implementation of MLS. */
export async function referenceOf(keyPackage: Buffer): Promise<Buffer> {
  const [decoded] = decodeKeyPackage(keyPackage, 0) ?? [];
  if (decoded === undefined) throw new Error("Not a key package");
  const suite = keyPackage.readUInt16BE(2);
  const hash = suite === 5 ? "sha512" : suite === 7 ? "sha384" : "sha256";
  const digest = async (bytes: Uint8Array) => createHash(hash).update(bytes).digest();
  return Buffer.from(await makeKeyPackageRef(decoded, { digest, mac: neverUsed, verifyMac: neverUsed }));
}

const unused = new Uint8Array();
const neverUsed = () => Promise.reject(new Error("Not expected to be used"));

const signatureOf = ({ scheme, privateKey }: Signer): Signature => ({
  sign: async (_key, message) => sign(keyTypes[scheme].hash, message, privateKey),
  verify: neverUsed,
  keygen: neverUsed,
});

/** A registered device that can make key packages. */
export interface MlsDevice {
  readonly clientId: string;
  /** Access token that names the device. */
  readonly token: string;
  readonly identity: string;
  readonly signers: Readonly<Record<SignatureScheme, Signer>>;
  /** A key package of the device, in base64. */
  make(wish?: Partial<KeyPackageWish>): Promise<string>;
}

/** Register a device of a user, with keys of all signature schemes or of those in `registered`. */
export async function newMlsDevice(
  user: User,
  {
    registered = signatureScheme.options,
    lastkey = lastPrekey(),
    publicApi = api,
    prefix,
  }: { registered?: readonly SignatureScheme[]; lastkey?: Prekey; publicApi?: Api; prefix?: string } = {},
): Promise<MlsDevice> {
  const signers = {
    ed25519: newSigner("ed25519"),
    ecdsa_secp256r1_sha256: newSigner("ecdsa_secp256r1_sha256"),
    ecdsa_secp384r1_sha384: newSigner("ecdsa_secp384r1_sha384"),
    ecdsa_secp521r1_sha512: newSigner("ecdsa_secp521r1_sha512"),
  };
  const keys = registered.map((scheme) => [scheme, signers[scheme].raw.toString("base64")]);
  const json = {
    type: "permanent",
    lastkey,
    prekeys: [],
    password: user.password,
    mls_public_keys: Object.fromEntries(keys),
  };
  const added = await publicApi("POST", "/v8/clients", { token: user.token, json });
  if (added.status !== 201) throw new Error(`No device was registered: ${JSON.stringify(added.body)}`);
  const clientId: string = added.body.id;
  const identity = `${user.id}:${clientId}@${domain}`;
  return {
    clientId,
    // Measurements and soak tests take longer than such tokens usually last.
    token: await signedToken(
      { userId: user.id, clientId, expiresAtSeconds: Math.floor(Date.now() / 1000) + 2 * 3600 },
      { prefix },
    ),
    identity,
    signers,
    async make(wish = {}) {
      const scheme = schemes.get(wish.suite ?? 0x0001) ?? "ed25519";
      return (await newKeyPackage({ signer: signers[scheme], identity, ...wish })).toString("base64");
    },
  };
}

/** Path of the packages of one of the caller's devices, without a version. */
export const ownPackagesPath = ({ clientId }: Pick<MlsDevice, "clientId">) =>
  `/mls/key-packages/self/${clientId}`;

/** Upload packages of a device. */
export const uploadPackages = (
  { token, ...device }: Pick<MlsDevice, "token" | "clientId">,
  ...packages: string[]
) => api("POST", `/v8${ownPackagesPath(device)}`, { token, json: { key_packages: packages } });

/** Replace the packages of a device for some suites. */
export const replacePackages = ({ token, ...device }: MlsDevice, suites: string, ...packages: string[]) =>
  api("PUT", `/v8${ownPackagesPath(device)}?ciphersuites=${suites}`, {
    token,
    json: { key_packages: packages },
  });

export const requestCount = ({ token, ...device }: Pick<MlsDevice, "token" | "clientId">, suite = "0x0001") =>
  api("GET", `/v8${ownPackagesPath(device)}/count?ciphersuite=${suite}`, { token });

/** How many packages of a device can be claimed. */
export const countPackages = async (device: MlsDevice, suite?: string): Promise<number> =>
  (await requestCount(device, suite)).body.count;

export const requestClaim = (token: string, userId: string, query = "ciphersuite=0x0001", own = domain) =>
  api("POST", `/v8/mls/key-packages/claim/${own}/${userId}?${query}`, { token });

/** An entry in the answer to a claim. */
export interface ClaimedPackage {
  user: string;
  domain: string;
  client: string;
  key_package_ref: string;
  key_package: string;
}

/** Claim a package of each device of a user. */
export const claimPackages = async (...request: Parameters<typeof requestClaim>): Promise<ClaimedPackage[]> =>
  (await requestClaim(...request)).body.key_packages;

/** Several packages of a device. */
export const makePackages = (
  device: MlsDevice,
  number: number,
  wish?: Partial<KeyPackageWish>,
): Promise<string[]> => Promise.all(Array.from({ length: number }, () => device.make(wish)));

/** References of packages in base64. */
export const referencesOf = (packages: readonly string[]): Promise<string[]> =>
  Promise.all(
    packages.map(async (text) => (await referenceOf(Buffer.from(text, "base64"))).toString("base64")),
  );

/** A user with a device that can make packages. */
export const newMlsUser = async () => {
  const user = await newUser();
  return { user, device: await newMlsDevice(user) };
};
