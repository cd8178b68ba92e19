import * as z from "zod";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { declareItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";

const key = { owner: "installation", entry: "default-provider" };

declareItem(
  {
    table: "provisioning",
    kind: "default-provider",
    key: ["installation", "default-provider"],
    subject: { nobody: "set by operators" },
  },
  storedObject({ idpId: z.uuid() }),
);

/** The identity provider that clients offer to everybody, if any. Access pattern: the only item. */
export class DefaultProviderStore {
  readonly #table: Table<"provisioning">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "provisioning");
  }

  /** @returns the id of the provider */
  async get(): Promise<string | undefined> {
    const item = await this.#table.get(key);
    return item?.idpId as string | undefined;
  }

  /** Set the default. Its provider must exist: add `IdentityProviderStore.addReference`. */
  set(idpId: string): Write {
    return this.#table.setFieldsWrite(key, { idpId });
  }

  clear(): Write {
    return this.#table.deleteWrite(key);
  }

  /** Remove the default if it is still this provider. Rejected as `StaleReadError`. */
  release(idpId: string): Write {
    return this.#table.deleteWrite(key, {
      ConditionExpression: "idpId = :idpId",
      ExpressionAttributeValues: { ":idpId": idpId },
    });
  }
}
