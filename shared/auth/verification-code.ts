import { createHmac, randomBytes } from "node:crypto";
import type { CodePurpose } from "../data/code/code.ts";
import { isSameSecret } from "./is-same-secret.ts";
import type { SecretReader } from "./secret-reader.ts";

/** Names one code without revealing it: what tables and queues carry. */
export interface CodeReference {
  readonly purpose: CodePurpose;
  readonly codeKey: string;
  readonly nonce: string;
}

export const newNonce = () => randomBytes(16).toString("base64url");

/** Bytes of a deletion code: it alone ends an account, so it is too long to be guessed. */
const deletionCodeBytes = 15;

/**
 * Codes of six digits, or of 20 characters for a deletion, derived from their reference with a secret key: the same
 * reference gives the same code, so a code can be sent again, and who reads the tables or queues learns none.
 */
export class VerificationCodes {
  readonly #secrets: Pick<SecretReader, "text">;

  constructor(secrets: Pick<SecretReader, "text">) {
    this.#secrets = secrets;
  }

  async derive({ purpose, codeKey, nonce }: CodeReference): Promise<string> {
    const key = await this.#secrets.text("code-key");
    const digest = createHmac("sha256", key).update(`${purpose}\n${codeKey}\n${nonce}`).digest();
    if (purpose === "deletion") return digest.toString("base64url", 0, deletionCodeBytes);
    return String(digest.readUIntBE(0, 6) % 1_000_000).padStart(6, "0");
  }

  /**
   * Key of a user's deletion code, as mails carry it. Only the recipient knows it: everybody else could use up the tries
   * of a code.
   */
  async deletionKey(userId: string): Promise<string> {
    const key = await this.#secrets.text("code-key");
    return createHmac("sha256", key).update(`deletion-key\n${userId}`).digest("base64url").slice(0, 20);
  }

  /** Compares in constant time. */
  async matches(reference: CodeReference, candidate: string): Promise<boolean> {
    return isSameSecret(candidate, await this.derive(reference));
  }
}
