import { createHash, createHmac } from "node:crypto";
import * as z from "zod";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Invitation } from "./invitation.ts";

const codeBytes = 24;

/** Code of an invitation as clients send it. */
export const invitationCode = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[\w-]*$/, "not a code")
  .meta({ description: "Code of an invitation to a team" });

/** The hash under which an invitation is found by its code. */
export const hashOfCode = (code: string) => createHash("sha256").update(code).digest("base64url");

/** Derives the codes of invitations, 24 bytes in base64url, with a secret key: no queue and no table ever contains one. */
export class InvitationCodes {
  readonly #secrets: Pick<SecretReader, "text">;

  constructor({ secrets }: { secrets: Pick<SecretReader, "text"> }) {
    this.#secrets = secrets;
  }

  async derive({ teamId, invitationId }: Pick<Invitation, "teamId" | "invitationId">): Promise<string> {
    const key = await this.#secrets.text("invitation-key");
    const digest = createHmac("sha256", key).update(`${teamId}\n${invitationId}`).digest();
    return digest.toString("base64url", 0, codeBytes);
  }
}
