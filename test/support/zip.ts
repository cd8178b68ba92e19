import { readFileSync } from "node:fs";
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from "@zip.js/zip.js";

/** The files of a ZIP by name. */
export async function filesIn(zip: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const contents = new Map<string, Uint8Array>();
  for (const entry of await new ZipReader(new Uint8ArrayReader(readFileSync(zip))).getEntries())
    if (!entry.directory) contents.set(entry.filename, await entry.getData(new Uint8ArrayWriter()));
  return contents;
}
