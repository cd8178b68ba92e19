import { createHash } from "node:crypto";
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import type { Config } from "../../config.ts";
import { oauthScopes } from "../../oauth/scopes.ts";

/** What a user has consented to, until the app exchanges the code for tokens. */
const authorizationCodeItem = z.object({
  userId: z.uuid(),
  clientId: z.uuid(),
  scope: z.array(z.enum(oauthScopes)),
  redirectUri: z.string(),
  /** Base64url SHA-256 of the code verifier (RFC 7636 §4.2). */
  codeChallenge: z.string(),
  /** Unix seconds. */
  expiresAt: z.int(),
});
export type AuthorizationCode = z.infer<typeof authorizationCodeItem>;

/** Only the hash of a code is stored. */
const codeKey = (code: string) => ({
  owner: `code#${createHash("sha256").update(code).digest("hex")}`,
  entry: "code",
});

/** Authorization codes. Access pattern: by code, once. */
export class AuthorizationCodeStore {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(client: DynamoDBDocumentClient, config: Config) {
    this.#client = client;
    this.#tableName = config.tableName("oauth");
  }

  async create(code: string, content: AuthorizationCode): Promise<void> {
    await this.#client.send(
      new PutCommand({
        TableName: this.#tableName,
        Item: { ...codeKey(code), ...content, purgeAtSeconds: content.expiresAt },
        ConditionExpression: "attribute_not_exists(entry)",
      }),
    );
  }

  /** Take a code away, whatever comes of it: of several who try at once, one gets it. */
  async take(code: string): Promise<AuthorizationCode | undefined> {
    const { Attributes } = await this.#client.send(
      new DeleteCommand({ TableName: this.#tableName, Key: codeKey(code), ReturnValues: "ALL_OLD" }),
    );
    return Attributes && authorizationCodeItem.parse(Attributes);
  }
}
