import { parseAssetKey } from "#shared/assets/asset-key.ts";
import { declaredItems } from "#shared/platform/data/stored-item.ts";
import { nameOf } from "../releases/item-kinds.ts";
import { type ArchivedFile, writeArchive } from "./archive.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { Item } from "./person.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** The manifest of an archive. */
export interface Manifest {
  readonly userId: string;
  /** ISO 8601. */
  readonly exportedAt: string;
  /** Number of items of each kind. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Attributes that were left out, by kind. */
  readonly leftOut: Readonly<Record<string, readonly string[]>>;
  /** Every other file of the archive. */
  readonly files: readonly ArchivedFile[];
  /** Keys of assets whose bytes are gone. */
  readonly missingAssets: readonly string[];
}

interface WriteExportOptions {
  readonly userId: string;
  readonly items: ReadonlyMap<string, readonly Item[]>;
  /** The user's records in the audit trail; absent if it was not read. */
  readonly records?: AsyncIterable<object> | undefined;
  /** Reads the bucket of assets. */
  readonly readObject: ObjectReader;
  /** Path of the archive, which must not exist yet. */
  readonly file: string;
  readonly now: number;
}

/** Write the items of a user, and the files that they uploaded, into an archive. */
export const writeExport = ({
  userId,
  items,
  records,
  readObject,
  file,
  now,
}: WriteExportOptions): Promise<Manifest> =>
  writeArchive(file, async (archive) => {
    const subjects = new Map(declaredItems().map((kind) => [nameOf(kind), kind.subject]));
    const leftOut: Record<string, readonly string[]> = {};
    for (const [kind, found] of items) {
      const subject = subjects.get(kind);
      if (subject === undefined || !("user" in subject)) throw new Error(`${kind} is no user's`);
      if (subject.secrets !== undefined) leftOut[kind] = subject.secrets;
      const shown = found.map((item) => withoutSecrets(item, subject));
      await archive.addJson(`items/${kind}.json`, shown);
    }
    const missingAssets: string[] = [];
    for (const { assetKey } of items.get("assets/asset") ?? []) {
      const { objectName = "" } = parseAssetKey(String(assetKey)) ?? {};
      const content = await readObject(objectName);
      if (content === undefined) missingAssets.push(String(assetKey));
      else await archive.add(`assets/${assetKey}`, [content]);
    }
    if (records !== undefined) await archive.add("audit-trail.jsonl", linesOf(records));
    const kinds = Object.fromEntries([...items].map(([kind, { length }]) => [kind, length]));
    const exportedAt = new Date(now).toISOString();
    return { userId, exportedAt, kinds, leftOut, files: [...archive.files], missingAssets };
  });

async function* linesOf(records: AsyncIterable<object>) {
  for await (const record of records) yield `${JSON.stringify(record)}\n`;
}
