import { randomUUID } from "node:crypto";
import { parse as parseUuid } from "uuid";
import * as z from "zod";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";

const nonceItem = storedItem(
  {
    table: "clients",
    kind: "nonce",
    key: ["user#*", "nonce#*"],
    subject: { user: "partition", secrets: ["nonce"], remains: "expires within minutes" },
  },
  storedObject({
    nonce: z.string(),
    /** Unix seconds. */
    expiresAt: z.int(),
  }),
);

const nonceKey = (userId: string, clientId: string) => ({
  owner: `user#${userId}`,
  entry: `nonce#${clientId}`,
});

/** Nonces for the DPoP proofs of devices: each device has at most one. Access pattern: by device. */
export class NonceStore {
  readonly #table: Table<"clients">;
  readonly #lifetimeSeconds: number;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "clients");
    this.#lifetimeSeconds = context.config.settings.setNonceTtlSecs;
    this.#clock = context.clock;
  }

  /** Replace the device's nonce with a new one: a UUID in base64url. */
  async issue(userId: string, clientId: string): Promise<string> {
    const nonce = Buffer.from(parseUuid(randomUUID())).toString("base64url");
    const expiresAt = toSeconds(this.#clock()) + this.#lifetimeSeconds;
    await this.#table.put({ ...nonceKey(userId, clientId), nonce, expiresAt, purgeAtSeconds: expiresAt });
    return nonce;
  }

  /** Return the device's nonce and use it up; one of two concurrent calls gets it. */
  async take(userId: string, clientId: string): Promise<string | undefined> {
    const item = await this.#table.takeOnce(nonceKey(userId, clientId));
    const found = item && nonceItem.parseOrAbsent(item);
    return found !== undefined && found.expiresAt > toSeconds(this.#clock()) ? found.nonce : undefined;
  }
}
