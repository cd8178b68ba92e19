import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Code } from "#shared/codes/code.ts";
import { type CodeStore, hashedKey } from "#shared/codes/code-store.ts";
import { batchRead, type TableKeys } from "#shared/platform/data/batch-read.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import type { DomainRegistration } from "#shared/registered-domains/domain-registration.ts";
import type { RegisteredDomainStore } from "#shared/registered-domains/registered-domain-store.ts";
import type { AccountStore, IdentityState } from "./account-store.ts";
import { type ContactIdentity, mailDomain } from "./identity.ts";

/** What registration, activation and login with an address or number depend on. */
export interface IdentityRecord extends IdentityState {
  readonly identity: ContactIdentity;
  /** The activation codes issued for it, even if none is live any more. */
  readonly activation: Code | undefined;
  /** The registration of the address's domain, in families that read it and while the service is on. */
  readonly registration: DomainRegistration | undefined;
}

/** Key under which the activation codes of an identity are kept. */
export const activationKey = (identity: ContactIdentity) => hashedKey(identity.key);

/** Reads claim, block, activation code and domain of identities in one round trip. */
export class IdentityLookup {
  readonly #dynamo: DynamoDBDocumentClient;
  readonly #accounts: AccountStore;
  readonly #codes: CodeStore;
  readonly #domains: RegisteredDomainStore | undefined;

  /** @param stores.domains only where the rules of email domains apply */
  constructor(
    { dynamo }: Pick<StoreContext, "dynamo">,
    stores: { accounts: AccountStore; codes: CodeStore; domains?: RegisteredDomainStore },
  ) {
    this.#dynamo = dynamo;
    this.#accounts = stores.accounts;
    this.#codes = stores.codes;
    this.#domains = stores.domains;
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
      ...this.#domainKeys(identities),
    ]);
    return identities.map((identity) => ({
      identity,
      ...this.#accounts.stateOf(identity, items),
      activation: this.#codes.find("activation", activationKey(identity), items),
      registration: this.#registrationFor(identity, items),
    }));
  }

  #domainKeys(identities: readonly ContactIdentity[]): TableKeys[] {
    const domains = this.#domains;
    if (domains === undefined) return [];
    const names = identities.filter(({ kind }) => kind === "email").map(({ value }) => mailDomain(value));
    return [{ tableName: domains.tableName, keys: [...new Set(names)].flatMap(domains.registrationKeys) }];
  }

  #registrationFor({ kind, value }: ContactIdentity, items: readonly Record<string, unknown>[]) {
    return kind === "email" ? this.#domains?.registrationOf(mailDomain(value), items) : undefined;
  }
}
