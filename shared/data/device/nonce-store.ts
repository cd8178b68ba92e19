import { randomUUID } from "node:crypto";
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { parse as parseUuid } from "uuid";
import * as z from "zod";
import { type Clock, toSeconds } from "../../clock.ts";
import type { Config } from "../../config.ts";

const nonceItem = z.object({
  nonce: z.string(),
  /** Unix seconds from which it is worth nothing. */
  expiresAt: z.int(),
});

const nonceKey = (userId: string, clientId: string) => ({
  owner: `user#${userId}`,
  entry: `nonce#${clientId}`,
});

/** Nonces for the DPoP proofs of devices: each device has one at most. Access pattern: by device. */
export class NonceStore {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #lifetimeSeconds: number;
  readonly #clock: Clock;

  constructor(client: DynamoDBDocumentClient, config: Config, clock: Clock) {
    this.#client = client;
    this.#tableName = config.tableName("clients");
    this.#lifetimeSeconds = config.settings.setNonceTtlSecs;
    this.#clock = clock;
  }

  /** A new one, in place of the one before: base64url of a UUID. */
  async issue(userId: string, clientId: string): Promise<string> {
    const nonce = Buffer.from(parseUuid(randomUUID())).toString("base64url");
    const expiresAt = toSeconds(this.#clock()) + this.#lifetimeSeconds;
    const Item = { ...nonceKey(userId, clientId), nonce, expiresAt, purgeAtSeconds: expiresAt };
    await this.#client.send(new PutCommand({ TableName: this.#tableName, Item }));
    return nonce;
  }

  /** The device's nonce, for the last time: of two who ask at once, one gets it. */
  async take(userId: string, clientId: string): Promise<string | undefined> {
    const { Attributes } = await this.#client.send(
      new DeleteCommand({
        TableName: this.#tableName,
        Key: nonceKey(userId, clientId),
        ReturnValues: "ALL_OLD",
      }),
    );
    const found = Attributes && nonceItem.parse(Attributes);
    return found !== undefined && found.expiresAt > toSeconds(this.#clock()) ? found.nonce : undefined;
  }
}
