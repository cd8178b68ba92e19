import { type Spender, spendUpload } from "#shared/accounts/write-budget.ts";
import { orderRemovalOfArriving, whileArriving } from "#shared/assets/arrival.ts";
import { type Asset, partBytes } from "#shared/assets/asset.ts";
import { AssetNotFoundError } from "#shared/assets/asset-store.ts";
import { countStorage } from "#shared/assets/remove-asset.ts";
import { allDone } from "#shared/platform/all-done.ts";
import type { PartedUpload } from "#shared/platform/files/parted-upload.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "./deps.ts";

/** A file that arrives, and the record that it will have. */
interface ArrivingFile {
  readonly asset: Asset;
  readonly objectName: string;
  /** User whose daily budget is charged. */
  readonly payer: Spender;
  readonly content: AsyncIterable<Uint8Array>;
  /** Checks the owner again if a long time has passed: since then, all files of the account may have been removed. */
  readonly checkAgain: () => Promise<void>;
}

/**
 * Store a file that fits into one part, once all of it has arrived.
 * @throws ApiError `not-found` when the record has been removed meanwhile, with everything that its owner had
 */
export async function storeWhole(deps: Deps, file: ArrivingFile): Promise<void> {
  const { asset, objectName, content, checkAgain } = file;
  let bytes: Uint8Array = new Uint8Array();
  for await (const only of partsOf(content, asset.bytes)) bytes = only;
  await checkAgain();
  await orderly(deps, file, async () => {
    await deps.assets.create(whileArriving(asset, deps.clock()));
    await deps.bucket.put(objectName, bytes);
  });
}

/** Store a file in parts while it arrives; they become an object when all are there. @throws as `storeWhole` */
export async function storeInParts(deps: Deps, file: ArrivingFile): Promise<void> {
  const { asset, objectName, content } = file;
  await orderly(deps, file, async (begun) => {
    const upload = await deps.bucket.startUpload(objectName);
    begun(upload);
    await deps.assets.create(whileArriving(asset, deps.clock(), upload.id));
    for await (const part of partsOf(content, asset.bytes)) await upload.send(part);
    await upload.complete();
  });
}

/**
 * Charge the budget and store a file, under an order to remove what is there of it. Only a complete file revokes the
 * order, so nothing half stored outlasts the death of the process.
 */
async function orderly(
  deps: Deps,
  { asset, objectName, payer }: ArrivingFile,
  store: (begun: (upload: PartedUpload) => void) => Promise<void>,
): Promise<void> {
  const { assetKey } = asset;
  const revoke = await begin(deps, asset, payer);
  let upload: PartedUpload | undefined;
  try {
    await store((begun) => {
      upload = begun;
    });
    await deps.assets.confirm(asset).catch(answer(AssetNotFoundError, "not-found"));
  } catch (error) {
    try {
      await upload?.abort();
      await deps.bucket.delete(objectName);
      // The answer to its confirmation may have been lost.
      await deps.assets.remove(assetKey);
      await revoke();
    } catch (cause) {
      // The order is carried out later.
      deps.log.warn("upload-not-discarded", { assetKey, error: cause as Error });
    }
    throw error;
  }
  await allDone([revoke(), countStorage(deps, asset, "stored")]);
}

/**
 * Charge the budget, and commit the order to remove a file unless it arrives.
 * @returns a function that revokes the order
 * @throws RateLimitedError
 */
export async function begin(
  deps: Deps,
  { assetKey, bytes }: Asset,
  payer: Spender,
): Promise<() => Promise<void>> {
  const order = orderRemovalOfArriving(deps, assetKey);
  // An order that remains finds either a whole file or nothing.
  const revoke = () =>
    change(deps, async () => ({ writes: [order.revoke] }), unguarded).catch((error: unknown) =>
      deps.log.warn("upload-order-not-revoked", { assetKey, error: error as Error }),
    );
  const ordering = change(deps, async () => ({ messages: [order] }), unguarded);
  try {
    await allDone([spendUpload(deps, payer, bytes), ordering]);
  } catch (error) {
    await revoke();
    throw error;
  }
  return revoke;
}

/** The caller may upload, which was checked before. */
const unguarded = { isGuarded: false };

/**
 * Cut a file into parts; the last part is yielded only once the file has proved complete. All are views of the same
 * memory, so bytes that arrive while a part is sent wait in the network's buffers. Keeping chunks instead would let a
 * client that sends single bytes fill the memory.
 */
async function* partsOf(content: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array, void> {
  const part = Buffer.allocUnsafe(Math.min(partBytes, bytes));
  let filled = 0;
  for await (const chunk of content) {
    for (let rest = chunk; rest.length > 0; ) {
      if (filled === part.length) {
        yield part;
        filled = 0;
      }
      const taken = rest.subarray(0, part.length - filled);
      part.set(taken, filled);
      filled += taken.length;
      rest = rest.subarray(taken.length);
    }
  }
  yield part.subarray(0, filled);
}
