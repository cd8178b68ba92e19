import { randomBytes } from "node:crypto";
import * as z from "zod";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";

const importKeyItem = storedItem(
  {
    table: "accounts",
    kind: "import-key",
    key: ["import", "key"],
    subject: { nobody: "one random secret for all imports" },
  },
  storedObject({
    /** 32 random bytes in base64. */
    secret: z.string(),
  }),
);

const key = { pk: "import", sk: "key" };

/**
 * The secret from which ids of imported users are derived: the same user gets the same id each time, and nobody else can
 * find out from an address whether an account exists. Access pattern: the only one.
 */
export class ImportKeyStore {
  readonly #table: Table<"accounts">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "accounts");
  }

  /** Undefined until the first import. */
  async get(): Promise<Buffer | undefined> {
    const item = await this.#table.get(key);
    return item && Buffer.from(importKeyItem.parse(item).secret, "base64");
  }

  /** The secret, created now if there is none; two imports that begin at once get the same one. */
  async getOrCreate(): Promise<Buffer> {
    await this.#table.update(key, {
      UpdateExpression: "SET secret = if_not_exists(secret, :secret)",
      ExpressionAttributeValues: { ":secret": randomBytes(32).toString("base64") },
    });
    const secret = await this.get();
    if (secret === undefined) throw new Error("The import key was deleted while it was read");
    return secret;
  }
}
