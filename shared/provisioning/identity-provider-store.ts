import { createHash } from "node:crypto";
import { isAtRevision, StaleReadError, type Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { findItem, type Item, Table } from "#shared/platform/data/table.ts";
import { type IdentityProvider, identityProvider, type SamlApiVersion } from "./identity-provider.ts";

/** Another identity provider has the issuer. */
export class IssuerTakenError extends Error {
  override readonly name = "IssuerTakenError";
}

/** The issuer belongs to identity providers of the other version. */
export class IssuerOfOtherVersionError extends Error {
  override readonly name = "IssuerOfOtherVersionError";
}

const providerKey = (id: string) => ({ owner: `idp#${id}`, entry: "provider" });
const metadataKey = (id: string) => ({ owner: `idp#${id}`, entry: "metadata" });
/** A hash, because an issuer may be longer than a key. */
const issuerKey = (issuer: string) => ({
  owner: `issuer#${createHash("sha256").update(issuer).digest("hex")}`,
  entry: "issuer",
});

type Issued = Pick<IdentityProvider, "id" | "issuer" | "apiVersion">;

/**
 * Identity providers. Access patterns: provider by id; its metadata by id; provider of version 1 by issuer. Those of a
 * team, and providers of version 2 by issuer, are found through `TeamProvisioningStore`.
 *
 * The item of an issuer is written in one transaction with its provider: in version 1 an issuer has one provider, in
 * version 2 any number, of different teams, which are counted; one issuer is never of both versions.
 */
export class IdentityProviderStore {
  readonly tableName: string;
  readonly #table: Table<"provisioning">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "provisioning");
    this.tableName = this.#table.name;
  }

  async get(id: string): Promise<IdentityProvider | undefined> {
    const item = await this.#table.get(providerKey(id));
    return item && identityProvider.parse(item);
  }

  /** Keys of a provider, for a batch read together with other tables. */
  keys = (id: string) => [providerKey(id)];

  /** Find a provider among the items of a batch read of `keys`. */
  providerOf(id: string, items: readonly Item[]): IdentityProvider | undefined {
    const item = findItem(items, providerKey(id));
    return item && identityProvider.parse(item);
  }

  /** Providers by distinct ids, in any order; unknown ids are left out. */
  async getMany(ids: readonly string[]): Promise<IdentityProvider[]> {
    const items = await this.#table.getMany(ids.map(providerKey));
    return items.map((item) => identityProvider.parse(item));
  }

  /** The metadata from which a provider was made, as it was uploaded. */
  async getMetadata(id: string): Promise<string | undefined> {
    const item = await this.#table.get(metadataKey(id));
    return item?.text as string | undefined;
  }

  /** Of which version the providers with this issuer are, and, in version 1, which it is. */
  async findIssuer(
    issuer: string,
  ): Promise<{ readonly apiVersion: SamlApiVersion; readonly idpId?: string } | undefined> {
    const item = await this.#table.get(issuerKey(issuer));
    if (item === undefined || item.count === 0) return undefined;
    return { apiVersion: item.apiVersion as SamlApiVersion, idpId: item.idpId as string | undefined };
  }

  /**
   * Writes that bring a provider from one state to the next: without `previous` they create it. Rejected as
   * `StaleReadError`, and for a new issuer as `IssuerTakenError` or `IssuerOfOtherVersionError`.
   *
   * @param metadata stored with it; absent: what is stored stays
   */
  save(
    previous: IdentityProvider | undefined,
    next: Omit<IdentityProvider, "revision">,
    metadata?: string,
  ): Write[] {
    const revision = (previous?.revision ?? 0) + 1;
    const hasNewIssuer = previous?.issuer !== next.issuer;
    return [
      this.#table.putWrite(
        { ...providerKey(next.id), ...next, revision },
        { ...isAtRevision(revision - 1), onRejected: () => new StaleReadError(`provider ${next.id}`) },
      ),
      ...(metadata === undefined ? [] : [this.#table.putWrite({ ...metadataKey(next.id), text: metadata })]),
      ...(hasNewIssuer ? [this.#claim(next)] : []),
      ...(hasNewIssuer && previous !== undefined ? [this.#release(previous)] : []),
    ];
  }

  /**
   * Condition that a provider has not changed since it was read, for whatever refers to it from now on: an account with
   * one of its identities, or the default. It is counted, so that a removal that has seen no such reference is decided
   * again. Rejected as `StaleReadError`.
   */
  addReference({ id, revision }: Pick<IdentityProvider, "id" | "revision">): Write {
    return this.#table.updateWrite(providerKey(id), {
      UpdateExpression: "ADD referenceCount :one",
      ConditionExpression: "revision = :revision",
      ExpressionAttributeValues: { ":one": 1, ":revision": revision },
      onRejected: () => new StaleReadError(`provider ${id}`),
    });
  }

  /**
   * Writes that remove a provider with its metadata and free its issuer. Rejected as `StaleReadError`, also when there
   * are new references to it.
   */
  remove(provider: IdentityProvider): Write[] {
    const { id, revision, referenceCount = 0 } = provider;
    return [
      this.#table.deleteWrite(providerKey(id), {
        ConditionExpression: `revision = :revision AND ${
          referenceCount === 0 ? "attribute_not_exists(referenceCount)" : "referenceCount = :count"
        }`,
        ExpressionAttributeValues: {
          ":revision": revision,
          ...(referenceCount > 0 && { ":count": referenceCount }),
        },
        onRejected: () => new StaleReadError(`provider ${id}`),
      }),
      this.#table.deleteWrite(metadataKey(id)),
      this.#release(provider),
    ];
  }

  #claim({ id, issuer, apiVersion }: Issued): Write {
    if (apiVersion === "v1") {
      return this.#table.putWrite(
        { ...issuerKey(issuer), apiVersion, idpId: id, count: 1 },
        {
          ConditionExpression: "attribute_not_exists(#count) OR #count = :none",
          ExpressionAttributeNames: { "#count": "count" },
          ExpressionAttributeValues: { ":none": 0 },
          onRejected: (existing) =>
            existing?.apiVersion === "v1"
              ? new IssuerTakenError(issuer)
              : new IssuerOfOtherVersionError(issuer),
        },
      );
    }
    return this.#table.updateWrite(issuerKey(issuer), {
      UpdateExpression: "SET apiVersion = :version REMOVE idpId ADD #count :one",
      ConditionExpression: "attribute_not_exists(#count) OR #count = :none OR apiVersion = :version",
      ExpressionAttributeNames: { "#count": "count" },
      ExpressionAttributeValues: { ":version": apiVersion, ":one": 1, ":none": 0 },
      onRejected: () => new IssuerOfOtherVersionError(issuer),
    });
  }

  #release({ issuer }: Issued): Write {
    return this.#table.updateWrite(issuerKey(issuer), {
      UpdateExpression: "ADD #count :minusOne",
      ExpressionAttributeNames: { "#count": "count" },
      ExpressionAttributeValues: { ":minusOne": -1 },
    });
  }
}
