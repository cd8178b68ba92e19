import { createHash } from "node:crypto";
import * as z from "zod";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import { commit } from "#shared/platform/messaging/change.ts";
import { oauthScopes } from "#shared/registry/oauth-scopes.ts";

/** What a user has consented to, until the app exchanges the code for tokens. */
const authorizationCodeItem = storedItem(
  {
    table: "oauth",
    kind: "authorization-code",
    key: ["code#*", "code"],
    subject: { user: ["userId"], secrets: ["owner", "codeChallenge"], remains: "expires within minutes" },
  },
  storedObject({
    userId: z.uuid(),
    /** The account's `sessionEpoch` then: logging out everywhere voids the code. Absent in codes of earlier commits. */
    epoch: z.int().optional(),
    /** Id of the app. */
    clientId: z.uuid(),
    scope: z.array(z.enum(oauthScopes)),
    redirectUri: z.string(),
    /** Base64url SHA-256 of the code verifier (RFC 7636 §4.2). */
    codeChallenge: z.string(),
    /** Id of the grant that the code leads to; absent in codes of older versions. */
    grantId: z.uuid().optional(),
    /** Unix seconds. */
    expiresAt: z.int(),
  }),
);
export type AuthorizationCode = Stored<typeof authorizationCodeItem>;

/** Only the hash of a code is stored. */
const codeKey = (code: string) => ({
  owner: `code#${createHash("sha256").update(code).digest("hex")}`,
  entry: "code",
});

/** Rejects the grant for a code that is used a second time while the first exchange is under way. */
export class CodeReusedError extends Error {
  override readonly name = "CodeReusedError";
}

/** A code as one of its exchanges finds it. */
interface TakenCode extends AuthorizationCode {
  /** Whether another exchange has used it up before. */
  readonly isUsed: boolean;
}

/** Authorization codes. Access pattern: by code, of whose exchanges one is the first. */
export class AuthorizationCodeStore {
  readonly #table: Table<"oauth">;
  readonly #dynamo: StoreContext["dynamo"];

  constructor(context: StoreContext) {
    this.#table = new Table(context, "oauth");
    this.#dynamo = context.dynamo;
  }

  async create(code: string, content: AuthorizationCode): Promise<void> {
    const item = { ...codeKey(code), ...content, purgeAtSeconds: content.expiresAt };
    await commit(this.#dynamo, { writes: [this.#table.putWrite(item)] });
  }

  /** Return a code and use it up, even if it leads to no tokens; one of several concurrent calls is the first. */
  async take(code: string): Promise<TakenCode | undefined> {
    let used: Record<string, unknown> | undefined;
    const item = await this.#table.takeOnce(codeKey(code), (existing) => {
      used = existing;
    });
    const found = item ?? used;
    const taken = found && authorizationCodeItem.parseOrAbsent(found);
    return taken && { ...taken, isUsed: item === undefined };
  }

  /** Record that a used code was presented again, so that an exchange under way cannot store its grant any more. */
  async markReused(code: string): Promise<void> {
    await this.#table.update(codeKey(code), {
      UpdateExpression: "SET isReused = :true",
      ConditionExpression: "attribute_exists(entry)",
      ExpressionAttributeValues: { ":true": true },
    });
  }

  /** Condition that a code has not been presented again. Rejected as `CodeReusedError`. */
  requireNotReused(code: string): Write {
    return this.#table.requireWrite(codeKey(code), {
      ConditionExpression: "attribute_exists(entry) AND attribute_not_exists(isReused)",
      onRejected: () => new CodeReusedError(),
    });
  }
}
