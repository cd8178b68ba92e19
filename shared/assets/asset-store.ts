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

/** Records of an owner's files that are read together. */
const filesPerPage = 100;

/** Records of uploaded files, whose bytes are in a bucket. Access patterns: by key; by owner. */
export class AssetStore {
  readonly #table: Table<"assets">;
  readonly #dynamo: DynamoDBDocumentClient;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "assets");
    this.#dynamo = context.dynamo;
    this.#clock = context.clock;
  }

  /** @returns undefined also for one that is arriving, or has expired, because TTL deletes late */
  async get(assetKey: string): Promise<Asset | undefined> {
    const asset = await this.getStored(assetKey);
    return asset?.state === "arriving" ? undefined : asset;
  }

  /** @returns also one that is arriving */
  async getStored(assetKey: string): Promise<Asset | undefined> {
    return this.#parse(await this.#table.get({ assetKey }));
  }

  /** Files of an owner, page by page in the order of their keys. The newest may be missing for a moment. */
  async *ofOwner(ownerId: string, after?: string): AsyncGenerator<Asset[]> {
    let last = after;
    do {
      const range =
        last === undefined
          ? {}
          : { range: "assetKey > :after", ExpressionAttributeValues: { ":after": last } };
      const { Items = [], LastEvaluatedKey } = await this.#table.pageOfIndex(ownerId, {
        ...range,
        Limit: filesPerPage,
      });
      const keys = Items.map(({ assetKey }) => ({ assetKey: String(assetKey) }));
      const items = await this.#table.getMany(keys);
      yield items.flatMap((item) => this.#parse(item) ?? []);
      last = LastEvaluatedKey && keys.at(-1)?.assetKey;
    } while (last !== undefined);
  }

  /** Store the record of a new asset, whose key nobody else has. */
  create(asset: Asset): Promise<void> {
    return this.#table.put(asset);
  }

  /**
   * Let a record last as long as its file, now that all bytes are stored.
   * @returns whether it was still arriving
   * @throws AssetNotFoundError when it has been removed since
   */
  async confirm({ assetKey, expiresAtSeconds }: Asset): Promise<boolean> {
    const expiry =
      expiresAtSeconds === undefined ? ["", ", expiresAtSeconds"] : [", expiresAtSeconds = :expiry", ""];
    const confirmed = await this.#table.updateOnce(
      { assetKey },
      {
        UpdateExpression: `SET #state = :unsent${expiry[0]} REMOVE uploadId${expiry[1]}`,
        ConditionExpression: "#state = :arriving",
        ExpressionAttributeNames: { "#state": "state" },
        ExpressionAttributeValues: {
          ":unsent": "unsent",
          ":arriving": "arriving",
          ...(expiresAtSeconds !== undefined && { ":expiry": expiresAtSeconds }),
        },
      },
      (existing) => {
        if (existing === undefined) throw new AssetNotFoundError(assetKey);
      },
    );
    return confirmed !== undefined;
  }

  /** Note that others have read a file. */
  async noteSent(assetKey: string): Promise<void> {
    const updating = this.#table.update(
      { assetKey },
      {
        UpdateExpression: "REMOVE #state",
        ConditionExpression: "#state = :unsent",
        ExpressionAttributeNames: { "#state": "state" },
        ExpressionAttributeValues: { ":unsent": "unsent" },
      },
    );
    await onConditionFailed(updating, () => undefined);
  }

  /** Remove the record of a file that does not arrive any more. @returns false if all of it has arrived */
  async removeArriving(assetKey: string): Promise<boolean> {
    const removing = this.#table.take(
      { assetKey },
      {
        ConditionExpression: "attribute_not_exists(assetKey) OR #state = :arriving",
        ExpressionAttributeNames: { "#state": "state" },
        ExpressionAttributeValues: { ":arriving": "arriving" },
      },
    );
    return onConditionFailed(
      removing.then(() => true),
      () => false,
    );
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
          "ownerKind = :kind AND ownerId = :id AND (attribute_not_exists(expiresAtSeconds) OR expiresAtSeconds > :now) " +
          "AND (attribute_not_exists(#state) OR #state <> :arriving)",
        ExpressionAttributeNames: { "#state": "state" },
        ExpressionAttributeValues: {
          ":arriving": "arriving",
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
