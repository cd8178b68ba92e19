import pLimit from "p-limit";
import { parseAssetKey } from "#shared/assets/asset-key.ts";
import { type BucketName, buckets } from "#shared/registry/buckets.ts";
import type { BucketReader } from "./bucket-reader.ts";
import { isNamedIn, type Names } from "./person.ts";

/** What the buckets have of somebody. */
export interface BucketFindings {
  /** How many objects were looked at, all of them. */
  readonly lookedAt: Readonly<Record<BucketName, number>>;
  /** Objects of which a record says that they are theirs. */
  readonly files: { readonly count: number; readonly bytes: number };
  /** Files of which nothing but parts is there. */
  readonly unfinished: number;
  /** Files of the audit trail that name them by ids, and those that have an address, a number or a handle. */
  readonly trail: { readonly byId: number; readonly byName: number };
}

/** Files of the audit trail that are read at the same time. */
const filesAtOnce = 16;

/**
 * Look at every object for what is theirs, or names them.
 * @param assetKeys of the records that are theirs
 * @param publicNames those of their names that are no ids
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

/** A line that somebody has damaged is looked at as it is. */
function contentOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
