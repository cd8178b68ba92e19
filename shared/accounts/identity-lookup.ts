import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Code } from "#shared/codes/code.ts";
import { type CodeStore, hashedKey } from "#shared/codes/code-store.ts";
import { batchRead } from "#shared/platform/data/batch-read.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import type { AccountStore, IdentityState } from "./account-store.ts";
import type { ContactIdentity } from "./identity.ts";

/** Everything that registration, activation and login with an address or number depend on. */
export interface IdentityRecord extends IdentityState {
  readonly identity: ContactIdentity;
  /** The activation codes issued for it, even if none is live any more. */
  readonly activation: Code | undefined;
}

/** Key under which the activation codes of an identity are kept. */
export const activationKey = (identity: ContactIdentity) => hashedKey(identity.key);

/** Reads claim, block and activation code of identities in one round trip. */
export class IdentityLookup {
  readonly #dynamo: DynamoDBDocumentClient;
  readonly #accounts: AccountStore;
  readonly #codes: CodeStore;

  constructor({ dynamo }: Pick<StoreContext, "dynamo">, accounts: AccountStore, codes: CodeStore) {
    this.#dynamo = dynamo;
    this.#accounts = accounts;
    this.#codes = codes;
  }

  async find(identity: ContactIdentity): Promise<IdentityRecord> {
    const [record] = await this.findAll([identity]);
    return record as IdentityRecord;
  }

  async findAll(identities: readonly ContactIdentity[]): Promise<IdentityRecord[]> {
    if (identities.length === 0) return [];
    const items = await batchRead(this.#dynamo, [
      { tableName: this.#accounts.tableName, keys: identities.flatMap(this.#accounts.stateKeys) },
      {
        tableName: this.#codes.tableName,
        keys: identities.map((identity) => this.#codes.itemKey("activation", activationKey(identity))),
      },
    ]);
    return identities.map((identity) => ({
      identity,
      ...this.#accounts.stateOf(identity, items),
      activation: this.#codes.find("activation", activationKey(identity), items),
    }));
  }
}
