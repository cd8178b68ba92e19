import * as z from "zod";

export const codePurpose = z.enum(["activation", "login", "password-reset", "second-factor", "deletion"]);
export type CodePurpose = z.infer<typeof codePurpose>;

/** Wrong tries after which a code is dead. */
export const maxCodeAttempts = 3;

/** A code that was sent. The code itself is not here: it is derived from purpose, key and nonce. */
export const codeItem = z.object({
  /** Unique within its purpose; what mails carry as key. */
  key: z.string(),
  purpose: codePurpose,
  nonce: z.string(),
  attempts: z.int(),
  /** Unix seconds. */
  expiresAt: z.int(),
  /** Where it was sent to, as written. Absent on a decoy for an unknown address. */
  email: z.string().optional(),
  phone: z.string().optional(),
  /** The account that it activates, logs in or resets; absent when it only verifies an address. */
  userId: z.uuid().optional(),
  /** Password of the account that waits for activation: a login before it needs no second read. */
  passwordHash: z.string().optional(),
  /** The account that used the code; an activation code is kept to answer that it was used. */
  usedBy: z.uuid().optional(),
  /** Token bucket of the messages sent for this key, in unix milliseconds. */
  deliveryTat: z.int().optional(),
  /** Token bucket of new codes after wrong tries, in unix milliseconds. */
  replacementTat: z.int().optional(),
  /** Password reset only: the identities by which it was asked for. */
  askedBy: z.array(z.string()).optional(),
});
export type Code = z.infer<typeof codeItem>;

/** Whether the code can still be used for what it was made for. */
export const isLive = (code: Code, nowSeconds: number) =>
  code.expiresAt > nowSeconds && code.attempts < maxCodeAttempts && code.usedBy === undefined;
