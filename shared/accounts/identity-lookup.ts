import type { Code } from "#shared/codes/code.ts";
import { type CodeStore, hashedKey } from "#shared/codes/code-store.ts";
import type { DomainRegistration } from "#shared/teams/registered-domains/domain-registration.ts";
import type { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import type { AccountStore, IdentityState } from "./account-store.ts";
import { type ContactIdentity, mailDomain } from "./identity.ts";

/** The data on which registration, activation and login with an address or number depend. */
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
  readonly #accounts: AccountStore;
  readonly #codes: CodeStore;
  readonly #domains: RegisteredDomainStore | undefined;

  /** @param stores.domains only where the rules of email domains apply */
  constructor(stores: { accounts: AccountStore; codes: CodeStore; domains?: RegisteredDomainStore }) {
    this.#accounts = stores.accounts;
    this.#codes = stores.codes;
    this.#domains = stores.domains;
  }

  async find(identity: ContactIdentity): Promise<IdentityRecord> {
    const { kind, value } = identity;
    const [state, activation, registration] = await Promise.all([
      this.#accounts.findState(identity),
      this.#codes.get("activation", activationKey(identity)),
      kind === "email" ? this.#domains?.rulesOf(mailDomain(value)) : undefined,
    ]);
    return { identity, ...state, activation, registration };
  }

  findAll(identities: readonly ContactIdentity[]): Promise<IdentityRecord[]> {
    return Promise.all(identities.map((identity) => this.find(identity)));
  }
}
