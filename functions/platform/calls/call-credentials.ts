import { createHash, createHmac } from "node:crypto";

/** Credentials that a TURN or SFT server checks with the secret that it shares with us. */
export interface CallCredentials {
  readonly username: string;
  readonly credential: string;
}

/** Credentials for TURN servers, valid until `expiresAt` in unix seconds. */
export const turnCredentials = (secret: string, userId: string, expiresAt: number) =>
  sign(secret, `d=${expiresAt}.v=1.k=0.t=s.r=${userSuffix(userId)}`);

/** Credentials for SFT servers, which read from them whether the user may hold conferences. */
export const sftCredentials = (
  secret: string,
  userId: string,
  { expiresAt, mayConfer }: { expiresAt: number; mayConfer: boolean },
) => sign(secret, `d=${expiresAt}.v=1.k=0.s=${mayConfer ? 1 : 0}.r=${userSuffix(userId)}`);

const sign = (secret: string, username: string): CallCredentials => ({
  username,
  credential: createHmac("sha512", secret).update(username).digest("base64"),
});

const suffixBytes = 16;

/** Pseudonym of a user, stable and not traceable to the id: the start of a hash, written in letters (base 26). */
export function userSuffix(userId: string): string {
  const digest = createHash("sha256").update(userId.replaceAll("-", ""), "hex").digest("hex");
  let rest = BigInt(`0x${digest.slice(0, 2 * suffixBytes)}`);
  let letters = "";
  do {
    letters = String.fromCharCode(97 + Number(rest % 26n)) + letters;
    rest /= 26n;
  } while (rest > 0n);
  return letters;
}
