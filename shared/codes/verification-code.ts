import { createHmac, randomBytes } from "node:crypto";
import { isSameSecret } from "#shared/platform/secrets/is-same-secret.ts";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { type CodePurpose, isLongCode } from "./code.ts";

/** Reference to a code, which does not reveal it; tables and queues contain only this. */
export interface CodeReference {
  readonly purpose: CodePurpose;
  readonly codeKey: string;
  readonly nonce: string;
}

/** Creates a nonce, so that each issued code differs. */
export const newNonce = () => randomBytes(16).toString("base64url");

const longCodeBytes = 15;

/**
 * Derives codes of six digits, or of 20 characters for some purposes, from their reference with a secret key: the same
 * reference gives the same code, so a code can be sent again, and somebody who reads tables or queues learns no codes.
 */
export class VerificationCodes {
  readonly #secrets: Pick<SecretReader, "text">;

  constructor({ secrets }: { secrets: Pick<SecretReader, "text"> }) {
    this.#secrets = secrets;
  }

  async derive({ purpose, codeKey, nonce }: CodeReference): Promise<string> {
    const key = await this.#secrets.text("code-key");
    const digest = createHmac("sha256", key).update(`${purpose}\n${codeKey}\n${nonce}`).digest();
    if (isLongCode(purpose)) return digest.toString("base64url", 0, longCodeBytes);
    return String(digest.readUIntBE(0, 6) % 1_000_000).padStart(6, "0");
  }

  /**
   * Key of a user's deletion code, which the email contains. Only the recipient knows it, so that nobody else can use
   * up the attempts.
   */
  async deletionKey(userId: string): Promise<string> {
    const key = await this.#secrets.text("code-key");
    return createHmac("sha256", key).update(`deletion-key\n${userId}`).digest("base64url").slice(0, 20);
  }

  /** Compare a candidate with the code, in constant time. */
  async matches(reference: CodeReference, candidate: string): Promise<boolean> {
    return isSameSecret(candidate, await this.derive(reference));
  }
}
