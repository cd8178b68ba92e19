import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { AccountStore, IdentityState } from "./account/account-store.ts";
import type { ContactIdentity } from "./account/identity.ts";
import { batchRead } from "./batch-read.ts";
import type { Code } from "./code/code.ts";
import { type CodeStore, hashedKey } from "./code/code-store.ts";

/** All that decides about registering, activating or logging in with an address or number. */
export interface IdentityRecord extends IdentityState {
  readonly identity: ContactIdentity;
  /** The activation code last made for it, also when it is no longer live. */
  readonly activation: Code | undefined;
}

export const activationKey = (identity: ContactIdentity) => hashedKey(identity.key);

/** Claim, block and activation code of identities in one round trip. */
export class IdentityLookup {
  readonly #client: DynamoDBDocumentClient;
  readonly #accounts: AccountStore;
  readonly #codes: CodeStore;

  constructor(client: DynamoDBDocumentClient, accounts: AccountStore, codes: CodeStore) {
    this.#client = client;
    this.#accounts = accounts;
    this.#codes = codes;
  }

  async find(identity: ContactIdentity): Promise<IdentityRecord> {
    const [record] = await this.findAll([identity]);
    return record as IdentityRecord;
  }

  async findAll(identities: readonly ContactIdentity[]): Promise<IdentityRecord[]> {
    if (identities.length === 0) return [];
    const items = await batchRead(this.#client, [
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
