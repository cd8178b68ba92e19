import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
} from "node:crypto";
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import * as z from "zod";
import { type SecretReader, secretLifetimeSeconds } from "#shared/platform/secrets/secret-reader.ts";

const privateJwk = z.object({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string(),
  d: z.string(),
});
const publicJwk = privateJwk.omit({ d: true });

/** Content of the secret `signing-keys`: Ed25519 private keys by index, oldest first. */
export const signingKeySet = z.object({
  keys: z.array(
    z.object({
      /** The value of `k` in tokens. */
      index: z.int().min(1),
      jwk: privateJwk,
    }),
  ),
});
export type SigningKeySet = z.infer<typeof signingKeySet>;

/** Content of the secret `verification-keys`: the public halves. */
export const verificationKeySet = z.object({
  keys: z.array(
    z.object({
      index: z.int().min(1),
      /** Unix seconds from which the key signs; from its publication until then, verifiers have time to read it. */
      signFromSeconds: z.int().default(0),
      jwk: publicJwk,
      /** Whether everything that it signed has expired, except tokens of bots, which never expire. */
      isRetired: z.literal(true).optional(),
    }),
  ),
});
export type VerificationKeySet = z.infer<typeof verificationKeySet>;

/** Longest lifetime of an OAuth refresh token, 24 weeks: of all signed tokens, only cookies may live longer. */
const longestTokenSeconds = 14_515_200;

/** Creates a set with one key. */
export const newSigningKeySet = (): SigningKeySet => ({ keys: [newKey(1)] });

/** Add a key and drop those that no unexpired token needs. @param cookieSeconds longest lifetime of a cookie */
export function rotateSigningKeys(
  current: SigningKeySet,
  published: VerificationKeySet,
  nowSeconds: number,
  cookieSeconds = 0,
): SigningKeySet {
  const longestSeconds = Math.max(longestTokenSeconds, cookieSeconds);
  const needed = current.keys.filter((_, position) => {
    const successor = current.keys[position + 1];
    const signFrom = successor && publishedSignFrom(successor, published);
    return signFrom === undefined || signFrom + longestSeconds > nowSeconds;
  });
  return { keys: [...needed, newKey((current.keys.at(-1)?.index ?? 0) + 1)] };
}

/**
 * The public halves of a set that is published now, preceded by those of dropped keys. A new key starts to sign after
 * two `secretLifetimeSeconds`, when every verifier has read it; the very first one, immediately.
 */
export function verificationKeysOf(
  { keys }: SigningKeySet,
  published: VerificationKeySet,
  nowSeconds: number,
): VerificationKeySet {
  const newFrom = published.keys.length === 0 ? nowSeconds : nowSeconds + 2 * secretLifetimeSeconds;
  const [{ index: oldest } = { index: 0 }] = keys;
  const retired = published.keys.filter(({ index }) => index < oldest);
  return {
    keys: [
      ...retired.map((key) => ({ ...key, isRetired: true as const })),
      ...keys.map((key) => {
        const { kty, crv, x } = key.jwk;
        const signFromSeconds = publishedSignFrom(key, published) ?? newFrom;
        return { index: key.index, signFromSeconds, jwk: { kty, crv, x } };
      }),
    ],
  };
}

/**
 * Remove a leaked key from both sets, which voids everything that it signed, including tokens of bots. If no other key
 * signs now, a new one does immediately; until all functions have read it, some refuse its tokens.
 */
function withoutKey(
  index: number,
  { signing, published }: { readonly signing: SigningKeySet; readonly published: VerificationKeySet },
  nowSeconds: number,
): { signing: SigningKeySet; published: VerificationKeySet } {
  const isOther = (key: { readonly index: number }) => key.index !== index;
  const others = { signing: signing.keys.filter(isOther), published: published.keys.filter(isOther) };
  const signs = others.signing.some(
    (key) => (publishedSignFrom(key, published) ?? Number.POSITIVE_INFINITY) <= nowSeconds,
  );
  if (signs) return { signing: { keys: others.signing }, published: { keys: others.published } };
  const newest = Math.max(0, ...[...signing.keys, ...published.keys].map((key) => key.index));
  const successor = newKey(newest + 1);
  const { kty, crv, x } = successor.jwk;
  const itsPublicHalf = { index: successor.index, signFromSeconds: nowSeconds, jwk: { kty, crv, x } };
  return {
    signing: { keys: [...others.signing, successor] },
    published: { keys: [...others.published, itsPublicHalf] },
  };
}

/** The keys that verify expiring tokens. */
export const currentKeys = ({ keys }: VerificationKeySet): VerificationKeySet["keys"] =>
  keys.filter(({ isRetired }) => isRetired === undefined);

/** The key that signs now; `keys` are sorted from oldest to newest. @throws Error while there is none */
export function activeKey<Key extends SigningKeySet["keys"][number]>(
  keys: readonly Key[],
  published: VerificationKeySet,
  nowSeconds: number,
): Key {
  const key = keys.findLast(
    (one) => (publishedSignFrom(one, published) ?? Number.POSITIVE_INFINITY) <= nowSeconds,
  );
  if (key === undefined) throw new Error("No signing key is active yet");
  return key;
}

/** When a key starts to sign; undefined for an unpublished key, even if a published one has its index. */
function publishedSignFrom(
  { index, jwk }: SigningKeySet["keys"][number],
  { keys }: VerificationKeySet,
): number | undefined {
  return keys.find((key) => key.index === index && key.jwk.x === jwk.x)?.signFromSeconds;
}

/** The private key in a JSON Web Key. */
export const toPrivateKey = (jwk: JsonWebKey) => createPrivateKey({ key: jwk, format: "jwk" });
/** The public key in a JSON Web Key, private or public. */
export const toPublicKey = (jwk: JsonWebKey) => createPublicKey({ key: jwk, format: "jwk" });

function newKey(index: number) {
  const jwk = privateJwk.parse(generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" }));
  return { index, jwk };
}

/** The two secrets with keys, by their names or ARNs. */
export interface KeySecrets {
  readonly secretsManager: SecretsManagerClient;
  readonly signingKeys: string;
  readonly verificationKeys: string;
}

/** Read the private keys and the published ones. */
export async function readKeySets({ secretsManager, signingKeys, verificationKeys }: KeySecrets): Promise<{
  signing: SigningKeySet;
  published: VerificationKeySet;
}> {
  const read = async (SecretId: string): Promise<unknown> => {
    const { SecretString = "" } = await secretsManager.send(new GetSecretValueCommand({ SecretId }));
    return JSON.parse(SecretString);
  };
  const [signing, published] = await Promise.all([read(signingKeys), read(verificationKeys)]);
  return { signing: signingKeySet.parse(signing), published: verificationKeySet.parse(published) };
}

/**
 * Revoke a signing key (ADR 30). May be repeated if it stops half-way: the key is withdrawn from verifiers first, and an
 * unpublished key signs nothing.
 *
 * @returns false if there is no such key
 */
export async function revokeSigningKey(
  secrets: KeySecrets,
  index: number,
  nowSeconds: number,
): Promise<boolean> {
  const sets = await readKeySets(secrets);
  if (![...sets.signing.keys, ...sets.published.keys].some((key) => key.index === index)) return false;
  const { signing, published } = withoutKey(index, sets, nowSeconds);
  const put = (SecretId: string, keys: object) =>
    secrets.secretsManager.send(new PutSecretValueCommand({ SecretId, SecretString: JSON.stringify(keys) }));
  await put(secrets.verificationKeys, published);
  await put(secrets.signingKeys, signing);
  return true;
}

/**
 * Reads the key that signs now. Its start is taken from the published keys, not from the private ones: no key signs
 * before verifiers have had time to read it, however late a step of its rotation ran.
 *
 * @throws Error while there is none
 */
export async function readActiveKey(
  secrets: SecretReader,
  nowSeconds: number,
): Promise<{ index: number; privateKey: KeyObject }> {
  const [keys, published] = await Promise.all([
    secrets.get("signing-keys", readSigningKeys),
    secrets.get("verification-keys", readPublished),
  ]);
  return activeKey(keys, published, nowSeconds);
}

function readSigningKeys(text: string) {
  const { keys } = signingKeySet.parse(JSON.parse(text));
  return keys.map((key) => ({ ...key, privateKey: toPrivateKey(key.jwk) }));
}

const readPublished = (text: string) => verificationKeySet.parse(JSON.parse(text));
