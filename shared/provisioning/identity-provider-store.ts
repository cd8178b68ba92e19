import { createHash } from "node:crypto";
import * as z from "zod";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import { StaleReadError, type Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { declareItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import {
  type IdentityProvider,
  identityProvider,
  type SamlApiVersion,
  samlApiVersion,
} from "./identity-provider.ts";

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

/** Condition that neither a provider nor its references have changed since it was read. */
function isAsRead(provider: IdentityProvider | undefined) {
  if (provider === undefined) return { atRevision: 0 };
  const { revision, referenceCount = 0 } = provider;
  const hasCount = referenceCount === 0 ? "attribute_not_exists(referenceCount)" : "referenceCount = :count";
  return {
    atRevision: revision,
    ConditionExpression: hasCount,
    ExpressionAttributeValues: referenceCount === 0 ? {} : { ":count": referenceCount },
  };
}

declareItem(
  {
    table: "provisioning",
    kind: "metadata",
    key: ["idp#*", "metadata"],
    subject: { nobody: "published by an identity provider" },
  },
  storedObject({ text: z.string() }),
);
declareItem(
  {
    table: "provisioning",
    kind: "issuer",
    key: ["issuer#*", "issuer"],
    subject: { nobody: "leads to the identity providers of teams" },
  },
  storedObject({ apiVersion: samlApiVersion, count: z.int(), idpId: z.uuid().optional() }),
);

/**
 * Identity providers. Access patterns: provider by id; its metadata by id; provider of version 1 by issuer. Those of a
 * team, and providers of version 2 by issuer, are found through `TeamProvisioningStore`.
 *
 * The item of an issuer is written in one transaction with its provider. In version 1 an issuer has one provider; in
 * version 2 it may have several, of different teams, which are counted. An issuer never has providers of both versions.
 */
export class IdentityProviderStore {
  readonly #table: Table<"provisioning">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "provisioning");
  }

  async get(id: string): Promise<IdentityProvider | undefined> {
    const item = await this.#table.get(providerKey(id));
    return item && identityProvider.parse(item);
  }

  /** Providers by distinct ids, in any order; unknown ids are left out. */
  async getMany(ids: readonly string[]): Promise<IdentityProvider[]> {
    const items = await this.#table.getMany(ids.map(providerKey));
    return items.map((item) => identityProvider.parse(item));
  }

  /** The metadata of a provider, as uploaded. */
  async getMetadata(id: string): Promise<string | undefined> {
    const item = await this.#table.get(metadataKey(id));
    return item?.text as string | undefined;
  }

  /** The version of the providers with this issuer, their number and, in version 1, the provider's id. */
  async findIssuer(
    issuer: string,
  ): Promise<
    | { readonly apiVersion: SamlApiVersion; readonly count: number; readonly idpId?: string | undefined }
    | undefined
  > {
    const item = await this.#table.get(issuerKey(issuer));
    if (item === undefined) return undefined;
    const { apiVersion, count, idpId } = item;
    return {
      apiVersion: apiVersion as SamlApiVersion,
      count: Number(count),
      idpId: idpId as string | undefined,
    };
  }

  /**
   * Writes that bring a provider from one state to the next: without `previous` they create it. When the issuer
   * changes, the former one must be released, too. Rejected as `StaleReadError`, and for a new issuer as
   * `IssuerTakenError` or `IssuerOfOtherVersionError`.
   *
   * @param metadata absent: keep the stored metadata
   */
  save(
    previous: IdentityProvider | undefined,
    next: Omit<IdentityProvider, "revision">,
    metadata?: string,
  ): Write[] {
    const revision = (previous?.revision ?? 0) + 1;
    describeAudited({ target: { idp: next.id } });
    return [
      this.#table.putWrite({ ...providerKey(next.id), ...next, revision }, isAsRead(previous)),
      ...(metadata === undefined
        ? []
        : [this.#table.setFieldsWrite(metadataKey(next.id), { text: metadata })]),
      ...(previous?.issuer === next.issuer ? [] : [this.#claim(next)]),
    ];
  }

  /**
   * Condition that a provider has not changed since it was read, for a new reference to it: an account with one of its
   * identities, or the default. References are counted, so that a removal without knowledge of this one has to be
   * decided again. Rejected as `StaleReadError`.
   */
  addReference({ id, revision }: Pick<IdentityProvider, "id" | "revision">): Write {
    return this.#table.updateWrite(providerKey(id), {
      UpdateExpression: "ADD referenceCount :one",
      ExpressionAttributeValues: { ":one": 1 },
      atRevision: revision,
    });
  }

  /**
   * Writes that remove a provider with its metadata; its issuer must be released, too. Rejected as `StaleReadError`,
   * also when there are new references to it.
   */
  remove(provider: IdentityProvider): Write[] {
    const { id } = provider;
    return [
      this.#table.deleteWrite(providerKey(id), isAsRead(provider)),
      this.#table.deleteWrite(metadataKey(id)),
    ];
  }

  /**
   * Release the former issuer of a provider. Rejected as `StaleReadError`.
   * @throws StaleReadError when the issuer is free already, because the provider has changed since it was read
   */
  async releaseIssuer({ issuer }: Pick<IdentityProvider, "issuer">): Promise<Write> {
    const item = await this.#table.get(issuerKey(issuer));
    if (item === undefined) throw new StaleReadError("issuer");
    const count = Number(item.count);
    const unchanged = {
      ConditionExpression: "#count = :count",
      ExpressionAttributeNames: { "#count": "count" },
    };
    if (count === 1)
      return this.#table.deleteWrite(issuerKey(issuer), {
        ...unchanged,
        ExpressionAttributeValues: { ":count": count },
      });
    return this.#table.updateWrite(issuerKey(issuer), {
      UpdateExpression: "ADD #count :minusOne",
      ...unchanged,
      ExpressionAttributeValues: { ":count": count, ":minusOne": -1 },
    });
  }

  #claim({ id, issuer, apiVersion }: Omit<IdentityProvider, "revision">): Write {
    if (apiVersion === "v1") {
      return this.#table.putWrite(
        { ...issuerKey(issuer), apiVersion, idpId: id, count: 1 },
        {
          ConditionExpression: "attribute_not_exists(apiVersion)",
          onRejected: (existing) =>
            existing?.apiVersion === "v1"
              ? new IssuerTakenError(issuer)
              : new IssuerOfOtherVersionError(issuer),
        },
      );
    }
    return this.#table.updateWrite(issuerKey(issuer), {
      UpdateExpression: "SET apiVersion = :version ADD #count :one",
      ConditionExpression: "attribute_not_exists(apiVersion) OR apiVersion = :version",
      ExpressionAttributeNames: { "#count": "count" },
      ExpressionAttributeValues: { ":version": apiVersion, ":one": 1 },
      onRejected: () => new IssuerOfOtherVersionError(issuer),
    });
  }
}
