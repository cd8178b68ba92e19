import * as z from "zod";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import { commit } from "#shared/platform/messaging/change.ts";

const customBackendItem = storedItem(
  {
    table: "domains",
    kind: "custom-backend",
    key: ["domain#*", "custom-backend"],
    subject: { nobody: "set by operators" },
  },
  storedObject({ configUrl: z.string(), webappUrl: z.string() }),
);

/** Where people with an address of a domain find the configuration of their clients, and the web client. */
export type CustomBackend = Stored<typeof customBackendItem>;

const backendKey = (domain: string) => ({ owner: `domain#${domain}`, entry: "custom-backend" });

/** Backends that operators set for email domains. Access pattern: by domain. */
export class CustomBackendStore {
  readonly #table: Table<"domains">;
  readonly #dynamo: StoreContext["dynamo"];

  constructor(context: StoreContext) {
    this.#table = new Table(context, "domains");
    this.#dynamo = context.dynamo;
  }

  async get(domain: string): Promise<CustomBackend | undefined> {
    const item = await this.#table.get(backendKey(domain));
    return item && customBackendItem.parse(item);
  }

  async put(domain: string, backend: CustomBackend): Promise<void> {
    await commit(this.#dynamo, { writes: [this.#table.putWrite({ ...backendKey(domain), ...backend })] });
  }

  async delete(domain: string): Promise<void> {
    await commit(this.#dynamo, { writes: [this.#table.deleteWrite(backendKey(domain))] });
  }
}
