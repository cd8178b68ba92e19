import { type Spender, spendUpload } from "#shared/accounts/write-budget.ts";
import type { Asset } from "#shared/assets/asset.ts";
import { AssetNotFoundError } from "#shared/assets/asset-store.ts";
import { countStorage } from "#shared/assets/remove-asset.ts";
import { allDone } from "#shared/platform/all-done.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { type PartedUpload, partBytes } from "#shared/platform/files/parted-upload.ts";
import { answer } from "#shared/platform/http/answer.ts";
import type { Deps } from "./deps.ts";

/** A file that arrives, and the record that it will have. */
interface ArrivingFile {
  readonly asset: Asset;
  readonly objectName: string;
  /** User whose daily budget is charged. */
  readonly payer: Spender;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Store a file that fits into one part, once all of it has arrived. */
export async function storeWhole(deps: Deps, file: ArrivingFile): Promise<void> {
  let bytes: Uint8Array = new Uint8Array();
  for await (const only of partsOf(file.content, file.asset.bytes)) bytes = only;
  await createRecord(deps, file.asset, file.payer);
  try {
    await allDone([deps.bucket.put(file.objectName, bytes), countStorage(deps, file.asset, "stored")]);
  } catch (error) {
    await discard(deps, file);
    await countStorage(deps, file.asset, "removed");
    throw error;
  }
}

/**
 * How long the record of an unfinished upload lasts: longer than any upload may take. If the process dies, the record
 * expires then, and the parts after a day.
 */
const pendingSeconds = 6 * 3600;

/**
 * Store a file in parts while it arrives. Its record expires soon until all parts are there; only then do they become an
 * object.
 *
 * @throws ApiError `not-found` when the record has been removed meanwhile, with everything that its owner had
 */
export async function storeInParts(deps: Deps, file: ArrivingFile): Promise<void> {
  const { asset, objectName, payer, content } = file;
  const expiresAtSeconds = toSeconds(asset.createdAt) + pendingSeconds;
  await createRecord(deps, { ...asset, expiresAtSeconds }, payer);
  let upload: PartedUpload | undefined;
  try {
    upload = await deps.bucket.startUpload(objectName);
    for await (const part of partsOf(content, asset.bytes)) await upload.send(part);
    await deps.assets.confirm(asset).catch(answer(AssetNotFoundError, "not-found"));
    await upload.complete();
  } catch (error) {
    await discard(deps, file, upload);
    throw error;
  }
  await countStorage(deps, asset, "stored");
}

/** Store the record of a file, and take its bytes from the budget. */
async function createRecord(deps: Deps, asset: Asset, payer: Spender): Promise<void> {
  const { assets } = deps;
  await allDone([spendUpload(deps, payer, asset.bytes), assets.create(asset)]).catch(async (error) => {
    await assets.remove(asset.assetKey);
    throw error;
  });
}

/**
 * Forget a file that could not be stored: first its bytes, some of which an unanswered call may have stored, then its
 * record. If removing the bytes fails, the record stays.
 */
async function discard({ assets, bucket, log }: Deps, file: ArrivingFile, upload?: PartedUpload) {
  const { assetKey } = file.asset;
  try {
    await upload?.abort();
    await bucket.delete(file.objectName);
    await assets.remove(assetKey);
  } catch (error) {
    log.warn("upload-not-discarded", { assetKey, error: error as Error });
  }
}

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
