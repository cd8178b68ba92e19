import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Writable } from "node:stream";
import { Uint8ArrayReader, ZipWriter } from "@zip.js/zip.js";
import { parseAssetKey } from "#shared/assets/asset-key.ts";
import { declaredItems } from "#shared/platform/data/stored-item.ts";
import { nameOf } from "../releases/item-kinds.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { Item } from "./person.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** What an archive says of itself. */
export interface Manifest {
  readonly userId: string;
  /** ISO 8601. */
  readonly exportedAt: string;
  /** How many items there are of each kind. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Attributes that were left out, by kind. */
  readonly leftOut: Readonly<Record<string, readonly string[]>>;
  /** Every other file of the archive, with its SHA-256 in hexadecimal digits. */
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
  /** Keys of assets of which the bytes are gone. */
  readonly missingAssets: readonly string[];
}

interface WriteExportOptions {
  readonly userId: string;
  readonly items: ReadonlyMap<string, readonly Item[]>;
  /** Reads the bucket of assets. */
  readonly readObject: ObjectReader;
  /** The archive, which must not exist yet. */
  readonly file: string;
  readonly now: number;
}

/** What an archive is called until it is complete; a run that was killed leaves it behind. */
export const partialName = (file: string) => `${file}.partial`;

/**
 * Write the items of a user, and the files that they uploaded, into a ZIP that only its owner may read. It appears under
 * its name when it is complete.
 */
export async function writeExport({
  userId,
  items,
  readObject,
  file,
  now,
}: WriteExportOptions): Promise<Manifest> {
  const partial = partialName(file);
  const output = createWriteStream(partial, { flags: "wx", mode: 0o600 });
  try {
    const zip = new ZipWriter(Writable.toWeb(output), { useWebWorkers: false });
    const files: Manifest["files"][number][] = [];
    const add = async (name: string, content: Uint8Array) => {
      await zip.add(name, new Uint8ArrayReader(content));
      const sha256 = createHash("sha256").update(content).digest("hex");
      files.push({ name, bytes: content.length, sha256 });
    };

    const subjects = new Map(declaredItems().map((kind) => [nameOf(kind), kind.subject]));
    const leftOut: Record<string, readonly string[]> = {};
    for (const [kind, found] of items) {
      const subject = subjects.get(kind);
      if (subject === undefined || !("user" in subject)) throw new Error(`${kind} is no user's`);
      if (subject.secrets !== undefined) leftOut[kind] = subject.secrets;
      await add(`items/${kind}.json`, toJson(found.map((item) => withoutSecrets(item, subject))));
    }
    const missingAssets: string[] = [];
    for (const { assetKey } of items.get("assets/asset") ?? []) {
      const { objectName = "" } = parseAssetKey(String(assetKey)) ?? {};
      const content = await readObject(objectName);
      if (content === undefined) missingAssets.push(String(assetKey));
      else await add(`assets/${assetKey}`, content);
    }

    const kinds = Object.fromEntries([...items].map(([kind, { length }]) => [kind, length]));
    const exportedAt = new Date(now).toISOString();
    const manifest = { userId, exportedAt, kinds, leftOut, files, missingAssets };
    await zip.add("manifest.json", new Uint8ArrayReader(toJson(manifest)));
    await zip.close();
    await rename(partial, file);
    return manifest;
  } catch (error) {
    output.destroy();
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") await rm(partial, { force: true });
    throw error;
  }
}

const toJson = (value: unknown) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
