import pLimit from "p-limit";
import { parseAssetKey } from "#shared/assets/asset-key.ts";
import { type BucketName, buckets } from "#shared/registry/buckets.ts";
import type { BucketReader } from "./bucket-reader.ts";
import { isNamedIn, type Names } from "./person.ts";

/** The data of somebody in the buckets. */
export interface BucketFindings {
  /** Number of objects; all of them were checked. */
  readonly lookedAt: Readonly<Record<BucketName, number>>;
  /** Objects that belong to them, according to a record. */
  readonly files: { readonly count: number; readonly bytes: number };
  /** Unfinished files, of which only parts are stored. */
  readonly unfinished: number;
  /** Files of the audit trail that name them by ids, and those with an address, a number or a handle of theirs. */
  readonly trail: { readonly byId: number; readonly byName: number };
}

/** Files of the audit trail that are read at the same time. */
const filesAtOnce = 16;

/**
 * Check every object for being theirs, or naming them.
 * @param assetKeys keys in their records of assets
 * @param publicNames their names other than ids
 */
export async function walkBuckets(
  reader: BucketReader,
  { assetKeys, names, publicNames }: { assetKeys: readonly string[]; names: Names; publicNames: Names },
): Promise<BucketFindings> {
  const own = new Set(assetKeys.map((key) => parseAssetKey(key)?.objectName));
  const lookedAt = Object.fromEntries(Object.keys(buckets).map((name) => [name, 0])) as Record<
    BucketName,
    number
  >;
  const files = { count: 0, bytes: 0 };
  for await (const { name, bytes } of reader.objects("assets")) {
    lookedAt.assets++;
    if (!own.has(name)) continue;
    files.count++;
    files.bytes += bytes;
  }
  let unfinished = 0;
  for await (const name of reader.unfinished("assets")) if (own.has(name)) unfinished++;

  const trail = { byId: 0, byName: 0 };
  const examine = async (name: string) => {
    const text = (await reader.text("audit", name)) ?? "";
    const lines = text.split("\n").filter((line) => line !== "");
    if (isNamedIn(name, names) || lines.some((line) => isNamedIn(contentOf(line), names))) trail.byId++;
    if (lines.some((line) => isNamedIn(contentOf(line), publicNames))) trail.byName++;
  };
  const reading = pLimit(filesAtOnce);
  let waiting: Promise<void>[] = [];
  for await (const { name } of reader.objects("audit")) {
    lookedAt.audit++;
    waiting.push(reading(() => examine(name)));
    if (waiting.length < 10 * filesAtOnce) continue;
    await Promise.all(waiting);
    waiting = [];
  }
  await Promise.all(waiting);
  return { lookedAt, files, unfinished, trail };
}

/** A damaged line is searched as plain text. */
function contentOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
