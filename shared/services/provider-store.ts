import { describeAudited } from "#shared/platform/audit/audited.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { Table } from "#shared/platform/data/table.ts";
import { type ActiveProvider, isActive, type Provider, providerClaimItem, providerItem } from "./provider.ts";

/** Another provider has the address. */
export class ProviderEmailTakenError extends Error {
  override readonly name = "ProviderEmailTakenError";
}

/** There is no such provider, it is not activated, or it is being deleted. */
export class ProviderNotFoundError extends Error {
  override readonly name = "ProviderNotFoundError";
}

const providerKey = (providerId: string) => ({ owner: `provider#${providerId}`, entry: "provider" });
const claimKey = (emailKey: string) => ({ owner: `provider-email#${emailKey}`, entry: "claim" });

/**
 * Providers and their claims on addresses. Access patterns: provider by id; claim by address. A claim is written in one
 * transaction with its provider, so an address has at most one owner. A provider that is being deleted counts as unknown,
 * but keeps its address.
 */
export class ProviderStore {
  readonly #table: Table<"services">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "services");
  }

  /** A provider, whether or not it has been activated. */
  async get(providerId: string): Promise<Provider | undefined> {
    return unlessDeleted(await this.getEvenDeleted(providerId));
  }

  /** The provider even if it is being deleted, for its deletion. */
  async getEvenDeleted(providerId: string): Promise<Provider | undefined> {
    const item = await this.#table.get(providerKey(providerId));
    return item && providerItem.parse(item);
  }

  /** A provider that has been activated. */
  async getActive(providerId: string): Promise<ActiveProvider | undefined> {
    const provider = await this.get(providerId);
    return isActive(provider) ? provider : undefined;
  }

  /** Id of the provider that holds an address, even if that is being deleted. */
  async findOwner(emailKey: string): Promise<string | undefined> {
    const item = await this.#table.get(claimKey(emailKey));
    return item && providerClaimItem.parse(item).providerId;
  }

  create(created: Omit<Provider, "revision">): Write {
    return this.#put(created, 0);
  }

  /** Replace a provider that keeps its address. Rejected as `StaleReadError`. */
  replace({ revision }: Provider, next: Omit<Provider, "revision">): Write {
    return this.#put(next, revision);
  }

  /**
   * Give a provider its first address, or another one, and free the former. Rejected as `StaleReadError`, and as
   * `ProviderEmailTakenError` when another provider holds it.
   */
  claimEmail(provider: Provider, { email, emailKey }: Pick<ActiveProvider, "email" | "emailKey">): Write[] {
    const { revision, purgeAtSeconds, ...kept } = provider;
    return [
      this.#put({ ...kept, email, emailKey }, revision),
      this.#table.putWrite(
        { ...claimKey(emailKey), providerId: provider.providerId },
        {
          ConditionExpression: "attribute_not_exists(providerId)",
          onRejected: () => new ProviderEmailTakenError(provider.providerId),
        },
      ),
      ...(provider.emailKey === undefined ? [] : [this.#table.deleteWrite(claimKey(provider.emailKey))]),
    ];
  }

  /** Mark a provider as being deleted. Rejected as `StaleReadError`. */
  beginDeletion(provider: Provider): Write {
    return this.replace(provider, { ...provider, isBeingDeleted: true });
  }

  /** Remove a provider that is being deleted and free its address, once its services are gone. Rejected as `StaleReadError`. */
  finishDeletion({ providerId, revision, emailKey }: Provider): Write[] {
    return [
      this.#table.deleteWrite(providerKey(providerId), { atRevision: revision }),
      ...(emailKey === undefined ? [] : [this.#table.deleteWrite(claimKey(emailKey))]),
    ];
  }

  /** Condition that a provider is active, for items that are created under it. Rejected as `ProviderNotFoundError`. */
  requireActive(providerId: string): Write {
    return this.#table.requireWrite(providerKey(providerId), {
      ConditionExpression: "attribute_exists(email) AND attribute_not_exists(isBeingDeleted)",
      onRejected: () => new ProviderNotFoundError(providerId),
    });
  }

  #put(next: Omit<Provider, "revision">, revision: number): Write {
    describeAudited({ target: { provider: next.providerId } });
    return this.#table.putWrite(
      { ...providerKey(next.providerId), ...next, revision: revision + 1 },
      { atRevision: revision },
    );
  }
}

const unlessDeleted = (provider: Provider | undefined) =>
  provider?.isBeingDeleted === undefined ? provider : undefined;
