import { createHash } from "node:crypto";
import * as z from "zod";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import { commit } from "#shared/platform/messaging/change.ts";
import { oauthScopes } from "#shared/registry/oauth-scopes.ts";
import { openIdGrant } from "./grant.ts";

/** The consent of a user, until the app exchanges the code for tokens. */
const authorizationCodeItem = storedItem(
  {
    table: "oauth",
    kind: "authorization-code",
    key: ["code#*", "code"],
    subject: {
      user: ["userId"],
      secrets: ["owner", "codeChallenge", "nonce"],
      remains: "expires within minutes",
    },
  },
  storedObject({
    userId: z.uuid(),
    /**
     * The account's `sessionEpoch` at that time: logging out everywhere voids the code. Absent in codes of earlier
     * commits.
     */
    epoch: z.int().optional(),
    /** Id of the app. */
    clientId: z.uuid(),
    scope: z.array(z.enum(oauthScopes)),
    /** Absent unless the app signs the person in. */
    openId: openIdGrant.optional(),
    /** Nonce that the app expects in the id token. */
    nonce: z.string().optional(),
    redirectUri: z.string(),
    /** Base64url SHA-256 of the code verifier (RFC 7636 §4.2). */
    codeChallenge: z.string(),
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

/** Authorization codes. Access patterns: by code; by code, once. */
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

  /** Read a code that nobody has taken yet. */
  async get(code: string): Promise<AuthorizationCode | undefined> {
    const item = await this.#table.getUntaken(codeKey(code));
    return item && authorizationCodeItem.parseOrAbsent(item);
  }

  /** Return a code and use it up, even if it leads to no tokens; one of several concurrent calls gets it. */
  async take(code: string): Promise<AuthorizationCode | undefined> {
    const item = await this.#table.takeOnce(codeKey(code));
    return item && authorizationCodeItem.parseOrAbsent(item);
  }
}
