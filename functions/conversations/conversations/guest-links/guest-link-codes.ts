import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { GuestLink } from "#shared/conversations/guest-link.ts";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";

const codeBytes = 15;

/** Compared with the code when there is no link. */
const noLink: Pick<GuestLink, "conversationId" | "linkId"> = { conversationId: "", linkId: "" };

/**
 * Derives the codes of guest links, 15 bytes in base64url, with a secret key: stored data do not reveal a code, yet
 * members can see it again.
 */
export class GuestLinkCodes {
  readonly #secrets: Pick<SecretReader, "text">;

  constructor({ secrets }: { secrets: Pick<SecretReader, "text"> }) {
    this.#secrets = secrets;
  }

  async derive({ conversationId, linkId }: Pick<GuestLink, "conversationId" | "linkId">): Promise<string> {
    const key = await this.#secrets.text("guest-link-key");
    const digest = createHmac("sha256", key).update(`${conversationId}\n${linkId}`).digest();
    return digest.toString("base64url", 0, codeBytes);
  }

  /** Whether a code is that of the link. Takes as long when there is no link. */
  async matches(code: string, link: GuestLink | undefined): Promise<boolean> {
    const isEqual = timingSafeEqual(hash(code), hash(await this.derive(link ?? noLink)));
    return link !== undefined && isEqual;
  }
}

/** Texts of equal length, whatever a client sends. */
const hash = (code: string) => createHash("sha256").update(code).digest();
