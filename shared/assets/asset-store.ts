import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { auditWrites } from "#shared/platform/audit/audited.ts";
import type { Clock } from "#shared/platform/clock.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { onConditionFailed, transact } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Item, Table } from "#shared/platform/data/table.ts";
import { type Asset, type AssetOwner, assetItem, isOwner } from "./asset.ts";

/** The asset does not exist, or no longer. */
export class AssetNotFoundError extends Error {
  override readonly name = "AssetNotFoundError";
}

/** The asset belongs to somebody else. */
export class NotAssetOwnerError extends Error {
  override readonly name = "NotAssetOwnerError";
}

/** Records of uploaded files, whose bytes are in a bucket. Access pattern: by key. */
export class AssetStore {
  readonly #table: Table<"assets">;
  readonly #dynamo: DynamoDBDocumentClient;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "assets");
    this.#dynamo = context.dynamo;
    this.#clock = context.clock;
  }

  /** @returns undefined also for an expired one, because TTL deletes late */
  async get(assetKey: string): Promise<Asset | undefined> {
    return this.#parse(await this.#table.get({ assetKey }));
  }

  /** Store the record of a new asset, whose key nobody else has. */
  create(asset: Asset): Promise<void> {
    return this.#table.put(asset);
  }

  /**
   * Let a record last as long as its asset, now that the bytes are stored.
   * @throws AssetNotFoundError when it has been removed since
   */
  async confirm({ assetKey, expiresAtSeconds }: Asset): Promise<void> {
    const updating = this.#table.update(
      { assetKey },
      {
        ConditionExpression: "attribute_exists(assetKey)",
        ...(expiresAtSeconds === undefined
          ? { UpdateExpression: "REMOVE expiresAtSeconds" }
          : {
              UpdateExpression: "SET expiresAtSeconds = :expiresAt",
              ExpressionAttributeValues: { ":expiresAt": expiresAtSeconds },
            }),
      },
    );
    await onConditionFailed(updating, () => {
      throw new AssetNotFoundError(assetKey);
    });
  }

  /**
   * Set the hash of the token; undefined makes the asset public.
   * @throws AssetNotFoundError, NotAssetOwnerError
   */
  async setTokenHash(assetKey: string, owner: AssetOwner, tokenHash: string | undefined): Promise<void> {
    const updating = this.#table.update(
      { assetKey },
      {
        UpdateExpression: tokenHash === undefined ? "REMOVE tokenHash" : "SET tokenHash = :tokenHash",
        ConditionExpression:
          "ownerKind = :kind AND ownerId = :id AND (attribute_not_exists(expiresAtSeconds) OR expiresAtSeconds > :now)",
        ExpressionAttributeValues: {
          ":kind": owner.kind,
          ":id": owner.id,
          ":now": toSeconds(this.#clock()),
          ...(tokenHash !== undefined && { ":tokenHash": tokenHash }),
        },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      },
    );
    await onConditionFailed(updating, (existing) => {
      const asset = this.#parse(existing);
      throw asset === undefined || isOwner(asset, owner)
        ? new AssetNotFoundError(assetKey)
        : new NotAssetOwnerError(assetKey);
    });
  }

  /**
   * Delete a record. A transaction, because it gives the same answer when the SDK repeats it after a lost answer.
   * @returns whether it existed; of several concurrent calls, one finds it
   */
  async remove(assetKey: string): Promise<boolean> {
    const onRejected = () => new AssetNotFoundError(assetKey);
    const write = this.#table.deleteWrite(
      { assetKey },
      { ConditionExpression: "attribute_exists(assetKey)", onRejected },
    );
    try {
      await transact(this.#dynamo, [write, ...auditWrites()]);
      return true;
    } catch (error) {
      if (error instanceof AssetNotFoundError) return false;
      throw error;
    }
  }

  #parse(item: Item | undefined): Asset | undefined {
    if (item === undefined) return undefined;
    const asset = assetItem.parse(item);
    const { expiresAtSeconds = Number.POSITIVE_INFINITY } = asset;
    return expiresAtSeconds > toSeconds(this.#clock()) ? asset : undefined;
  }
}
