import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable, Writable } from "node:stream";
import { ZipWriter } from "@zip.js/zip.js";
import { claim } from "../process-lock.ts";

/** A file of an archive, with its SHA-256 in hexadecimal digits. */
export interface ArchivedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Name of an archive until it is complete; a run that is killed leaves it behind. */
const partialName = (file: string) => `${file}.partial`;

/** Writes the files of an archive one after the other, with only a piece of one in memory. */
export class Archive {
  readonly #zip: ZipWriter<unknown>;
  readonly files: ArchivedFile[] = [];

  constructor(zip: ZipWriter<unknown>) {
    this.#zip = zip;
  }

  /** @param pieces of the content, in their order */
  async add(name: string, pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>) {
    const hash = createHash("sha256");
    let bytes = 0;
    const measured = async function* () {
      for await (const piece of pieces) {
        const content = typeof piece === "string" ? Buffer.from(piece) : piece;
        bytes += content.length;
        hash.update(content);
        yield content;
      }
    };
    // The types of Node and of the DOM describe the same class differently.
    const content = Readable.toWeb(Readable.from(measured())) as unknown as ReadableStream<Uint8Array>;
    await this.#zip.add(name, content);
    this.files.push({ name, bytes, sha256: hash.digest("hex") });
  }

  addJson(name: string, value: unknown) {
    return this.add(name, [`${JSON.stringify(value, null, 2)}\n`]);
  }
}

/** Archives that this process is writing. */
const writing = new Set<string>();

/** Another process is writing the archive. */
export class ArchiveInUseError extends Error {
  override readonly name = "ArchiveInUseError";
}

/**
 * Write a ZIP that only its owner may read. It appears under its name only once it is complete, so not if `fill` fails.
 * The unfinished archive of a run that was killed is replaced, not continued, because its parts would be of different
 * times.
 * @param file must not exist yet
 * @returns what `fill` returns: the manifest, which becomes the last file
 * @throws ArchiveInUseError
 */
export async function writeArchive<Manifest>(
  file: string,
  fill: (archive: Archive) => Promise<Manifest>,
): Promise<Manifest> {
  const [partial, lock] = [partialName(file), `${file}.lock`];
  const owner = writing.has(file) ? process.pid : claim(lock);
  if (owner !== undefined)
    throw new ArchiveInUseError(
      `Process ${owner} is writing ${file} (if it is another program, delete ${lock})`,
    );
  writing.add(file);
  try {
    await rm(partial, { force: true });
    const output = createWriteStream(partial, { flags: "wx", mode: 0o600 });
    await once(output, "open");
    try {
      const zip = new ZipWriter(Writable.toWeb(output), { useWebWorkers: false });
      const archive = new Archive(zip);
      const manifest = await fill(archive);
      await archive.addJson("manifest.json", manifest);
      await zip.close();
      await rename(partial, file);
      return manifest;
    } catch (error) {
      output.destroy();
      await rm(partial, { force: true });
      throw error;
    }
  } finally {
    writing.delete(file);
    await rm(lock, { force: true });
  }
}
