import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { limitOf, networksAround } from "#shared/platform/rate-limit/network.ts";
import type { NetworkLimit } from "#shared/platform/rate-limit/network-limit.ts";

/** Purposes of codes. A code for one purpose is never accepted for another. */
export const codePurpose = z.enum([
  "activation",
  "login",
  "password-reset",
  "second-factor",
  "deletion",
  "provider-activation",
  "provider-password-reset",
]);
export type CodePurpose = z.infer<typeof codePurpose>;

/**
 * Purposes with codes that are too long to be guessed, because such a code alone is enough to delete an account or take
 * over a provider.
 */
const longCodes: ReadonlySet<CodePurpose> = new Set([
  "deletion",
  "provider-activation",
  "provider-password-reset",
]);
export const isLongCode = (purpose: CodePurpose) => longCodes.has(purpose);

/** Wrong attempts after which a code is no longer valid for the network that they came from. */
export const maxCodeAttempts = 3;

/**
 * Wrong attempts from all networks together after which a code is valid only with the key of its mail. For a long code,
 * further attempts are not counted and it stays valid; otherwise strangers could void it.
 */
export const maxTotalAttempts = 30;

/** Used instead of a network for codes that strangers cannot attempt. */
export const anyNetwork = "any";

/** Used instead of the network of an attempt at a long code that is not counted. */
export const uncounted = "uncounted";

/** Used instead of a network to count attempts with the key of a mail, which strangers cannot make. */
export const byKey = "key";

/** A code that activates an address or number: for one of the accounts that wait for it, or for none yet. */
const activationCode = storedObject({
  nonce: z.string(),
  /** Unix seconds. */
  expiresAt: z.int(),
  /** Unix milliseconds. */
  requestedAt: z.int(),
  /** Where it was sent, as the user spelled it. */
  email: z.string().optional(),
  phone: z.string().optional(),
  /** The account for which it was sent; absent when it only verifies an address. */
  userId: z.uuid().optional(),
  /** Password of an account that waits for activation, so that an early login needs no second read. */
  passwordHash: z.string().optional(),
  /** The account that used the code, which is kept so that a repetition can be recognised. */
  usedBy: z.uuid().optional(),
  /** Replaced after too many wrong attempts: still valid with the key of its mail, but not if it is typed. */
  isByKeyOnly: z.boolean().optional(),
});
export type ActivationCode = z.infer<typeof activationCode>;

/**
 * A code that was sent, or all activation codes of an address: they share attempts and limits. The text of a code is
 * not stored: it is derived from purpose, key and nonce.
 */
export const codeItem = storedItem(
  {
    table: "codes",
    kind: "code",
    key: ["*"],
    subject: {
      user: ["userId", "email", "phone", "key", "activations"],
      secrets: [
        "codeKey",
        "key",
        "nonce",
        "passwordHash",
        "earlier",
        "attemptsBy",
        "replacementTats",
        "askedBy",
      ],
      remains: "limits on codes, until they expire: deleting the account is no way around them",
    },
  },
  storedObject({
    /** Unique within its purpose; emails contain it in the key. */
    key: z.string(),
    purpose: codePurpose,
    /** For activation codes, which have nonces of their own, a version that changes whenever they change. */
    nonce: z.string(),
    /** Wrong attempts from all networks, also at earlier codes: one is forgotten every `attemptDecaySeconds`. */
    attempts: z.int(),
    /** Unix milliseconds up to which attempts have been forgotten. */
    countedAt: z.int(),
    /** Wrong attempts by network; those with the key of a mail, which `attempts` leaves out, under `byKey`. */
    attemptsBy: z.record(z.string(), z.int()),
    /** Token buckets (`BucketTat`) of codes that were replaced after wrong attempts, by the network of the attempts. */
    replacementTats: z.record(z.string(), z.int()),
    /** Unix seconds. */
    expiresAt: z.int(),
    /** Where it was sent, as the user spelled it. Absent in a decoy for an unknown address. */
    email: z.string().optional(),
    phone: z.string().optional(),
    /** The account that it logs in or resets. */
    userId: z.uuid().optional(),
    /** Activation of users and providers only: the codes of the address or number, oldest first. */
    activations: z.array(activationCode).optional(),
    /** Token bucket (`BucketTat`) of the messages sent for this key. */
    deliveryTat: z.int().optional(),
    /** Password reset only: nonces of replaced codes, valid with the keys of their mails until this Unix second. */
    earlier: z.record(z.string(), z.int()).optional(),
    /** Password reset only: the identities with which it was requested. */
    askedBy: z.array(z.string()).optional(),
  }),
);
export type Code = Stored<typeof codeItem>;

/** Counters for an attempt from a network, each with its maximum. */
export const countersOf = (network: string): { name: string; max: number }[] =>
  networksAround(network).map((name) => ({ name, max: limitOf(name, maxCodeAttempts) }));

/** Whether a code can still be used from a network. */
export const isLive = (code: Code, nowSeconds: number, network: string = anyNetwork) =>
  (isLongCode(code.purpose) || code.attempts < maxTotalAttempts) && isLiveFor(code, nowSeconds, network);

/** Whether a code can still be used with the key of its mail, if it has one. */
export const isLiveByKey = (code: Code, nowSeconds: number) => isLiveFor(code, nowSeconds, byKey);

const isLiveFor = ({ attemptsBy, expiresAt }: Code, nowSeconds: number, network: string) =>
  expiresAt > nowSeconds && countersOf(network).every(({ name, max }) => (attemptsBy[name] ?? 0) < max);

/** A code after an attempt, and the network that made the attempt, or `byKey`, or `uncounted`. */
export type AttemptedCode = Code & { readonly attemptedFrom: string };

/**
 * Key in mails and links: it names the item of codes and, by its nonce, one of them. Nobody but the recipient knows the
 * nonce, so attempts with such a key are counted apart from those of strangers.
 */
export const linkKey = (key: string, { nonce }: { readonly nonce: string }) => `${key}.${nonce}`;

/** Splits a key of mails and links into its parts; there is no nonce if the text is not such a key. */
export function parseLinkKey(text: string): { key: string; nonce?: string } {
  const [key = "", ...rest] = text.split(".");
  return rest.length === 0 ? { key } : { key, nonce: rest.join(".") };
}

/** Requests to send a code of any kind. */
export const codeRequests: NetworkLimit = {
  scope: "codes",
  limits: ({ setCodeDeliveryRateLimitPerIp }) => setCodeDeliveryRateLimitPerIp,
};
