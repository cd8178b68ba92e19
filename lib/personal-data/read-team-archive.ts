import { createHash } from "node:crypto";
import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { BlobReader, ERR_UNSAFE_FILENAME, type FileEntry, ZipReader } from "@zip.js/zip.js";
import * as z from "zod";
import { spellingsOf, storedEmailIdentity } from "#shared/accounts/identity.ts";
import { parseJson } from "#shared/platform/parse-json.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { conversationsFile, isPersonFile } from "./team-archive.ts";

/** The people and conversations that the archive of a team names. */
export interface ArchivedTeam {
  readonly teamId: string;
  readonly userIds: readonly string[];
  /** Ids of people and conversations, and addresses, both as spelled and as claimed. */
  readonly names: ReadonlySet<string>;
}

/** The file is not the archive of a team, or it has been damaged or changed. The message tells how, in one line. */
export class NotAnArchiveError extends Error {
  override readonly name = "NotAnArchiveError";
}

const mebibyte = 2 ** 20;

/** Limits of an archive. The largest teams stay far below them. */
export const archiveLimits = {
  entries: 250_000,
  /** Size of the list of files at the end of a ZIP, which is read in one piece. */
  listBytes: 64 * mebibyte,
  /** Unpacked size of a file that is read in one piece. */
  fileBytes: 64 * mebibyte,
  /** Length of a line in a file that is read line by line; items are smaller. */
  lineBytes: mebibyte,
  /** Unpacked size of all files that are read. */
  totalBytes: 4096 * mebibyte,
  /** Number of people, addresses and conversations. */
  names: 2_000_000,
};
type Limits = typeof archiveLimits;

/** A problem of an archive, in words for people. */
class ArchiveProblem extends Error {
  override readonly name = "ArchiveProblem";
}

const manifestFile = "manifest.json";
const manifest = z.object({
  teamId: z.uuid(),
  files: z.array(z.object({ name: z.string(), sha256: z.string() })),
});
const conversation = z.object({ conversationId: z.uuid() });
const person = z.object({
  "accounts/account": z
    .array(z.object({ userId: z.uuid(), email: z.string().optional() }))
    .max(1)
    .default([]),
});

/**
 * Read the names that a certificate needs to search for the people of a deleted team. An archive may come from anybody:
 * everything about it is limited in size, no file is written, and its content must match its manifest.
 * @throws NotAnArchiveError
 */
export async function readTeamArchive(
  file: string,
  settings: Settings,
  limits: Limits = archiveLimits,
): Promise<ArchivedTeam> {
  try {
    return await read(file, settings, limits);
  } catch (cause) {
    const problem = cause instanceof ArchiveProblem ? cause.message : "it is damaged";
    throw new NotAnArchiveError(`${file} is not the archive of a team: ${problem}`, { cause });
  }
}

async function read(file: string, settings: Settings, limits: Limits): Promise<ArchivedTeam> {
  const names = new Set<string>();
  const userIds: string[] = [];
  const hashes = new Map<string, string>();
  let stated: z.output<typeof manifest> | undefined;
  let bytesLeft = limits.totalBytes;

  const addNames = (...added: readonly string[]) => {
    for (const name of added) names.add(name);
    if (names.size > limits.names)
      throw new ArchiveProblem(`it has more than ${limits.names} people, addresses and conversations`);
  };
  const readersOf = (name: string): Sink => {
    if (name === conversationsFile)
      return new Lines(limits.lineBytes, (line) =>
        addNames(conversation.parse(parseJson(line)).conversationId),
      );
    return new Whole(limits.fileBytes, (text) => {
      if (name === manifestFile) stated = manifest.parse(parseJson(text));
      else
        for (const { userId, email } of person.parse(parseJson(text))["accounts/account"]) {
          userIds.push(userId);
          addNames(userId, ...(email === undefined ? [] : spellingsOf(storedEmailIdentity(email, settings))));
        }
    });
  };

  for await (const entry of entriesOf(file, limits)) {
    const name = entry.filename;
    if (hashes.has(name)) throw new ArchiveProblem(`it has ${name} twice`);
    if (entry.encrypted) throw new ArchiveProblem(`${name} is encrypted`);
    const hash = createHash("sha256");
    const sink = readersOf(name);
    const write = (piece: Uint8Array) => {
      bytesLeft -= piece.length;
      if (bytesLeft < 0)
        throw new ArchiveProblem(`its files have more than ${sizeOf(limits.totalBytes)} unpacked`);
      hash.update(piece);
      understand(name, () => sink.add(piece));
    };
    await unpack(entry, write);
    understand(name, () => sink.end());
    hashes.set(name, hash.digest("hex"));
  }
  if (stated === undefined) throw new ArchiveProblem("it has no manifest");
  compare(hashes, stated.files);
  addNames(stated.teamId);
  return { teamId: stated.teamId, userIds, names };
}

const isNeeded = (name: string) => name === manifestFile || name === conversationsFile || isPersonFile(name);

/** The files of an archive that a certificate needs. @throws ArchiveProblem, or what the reader of ZIPs throws */
async function* entriesOf(file: string, { entries, listBytes }: Limits): AsyncGenerator<FileEntry> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) throw new ArchiveProblem("there is no such file");
  if (!found.isFile()) throw new ArchiveProblem("it is no file");
  const reader = new BoundedReader(await openAsBlob(file), listBytes);
  const zip = new ZipReader(reader, { useWebWorkers: false, checkOverlappingEntry: true });
  let count = 0;
  try {
    for await (const entry of zip.getEntriesGenerator()) {
      if (++count > entries) throw new ArchiveProblem(`it has more than ${entries} files`);
      if (isNeeded(entry.filename) && !entry.directory) yield entry;
    }
  } catch (error) {
    if ((error as Error).message !== ERR_UNSAFE_FILENAME) throw error;
    throw new ArchiveProblem("it has a file of a strange name");
  }
}

/** @throws the error of `write`, which the reader of ZIPs would take for damage, or the reader's own */
async function unpack(entry: FileEntry, write: (piece: Uint8Array) => void): Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  const writable = new WritableStream<Uint8Array>({
    write(piece) {
      try {
        write(piece);
      } catch (error) {
        failure = { error };
        throw error;
      }
    },
  });
  try {
    await entry.getData(writable, { checkSignature: true });
  } catch (error) {
    throw failure === undefined ? error : failure.error;
  }
}

/**
 * Limits the size of a single read: the list of files in a ZIP is read at once, and the ZIP itself declares its length.
 */
class BoundedReader extends BlobReader {
  readonly #maxBytes: number;

  constructor(blob: Blob, maxBytes: number) {
    super(blob);
    this.#maxBytes = maxBytes;
  }

  override readUint8Array(offset: number, length: number): Promise<Uint8Array> {
    if (length > this.#maxBytes)
      throw new ArchiveProblem(`its list of files has more than ${sizeOf(this.#maxBytes)}`);
    return super.readUint8Array(offset, length);
  }
}

/** Accepts a file in pieces. */
interface Sink {
  readonly add: (piece: Uint8Array) => void;
  readonly end: () => void;
}

/** A file that is parsed as a whole. */
class Whole implements Sink {
  readonly #pieces: Uint8Array[] = [];
  readonly #maxBytes: number;
  readonly #onText: (text: string) => void;
  #bytes = 0;

  constructor(maxBytes: number, onText: (text: string) => void) {
    this.#maxBytes = maxBytes;
    this.#onText = onText;
  }

  add(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) throw new TooLongError(`more than ${sizeOf(this.#maxBytes)} unpacked`);
    this.#pieces.push(piece);
  }

  end(): void {
    this.#onText(newDecoder().decode(Buffer.concat(this.#pieces)));
  }
}

/** A file that is parsed line by line. */
class Lines implements Sink {
  readonly #decoder = newDecoder();
  readonly #maxLength: number;
  readonly #onLine: (line: string) => void;
  #rest = "";

  constructor(maxLength: number, onLine: (line: string) => void) {
    this.#maxLength = maxLength;
    this.#onLine = onLine;
  }

  add(piece: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(piece, { stream: true })).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of [...lines, this.#rest])
      if (line.length > this.#maxLength)
        throw new TooLongError(`a line of more than ${sizeOf(this.#maxLength)}`);
    for (const line of lines) this.#onLine(line);
  }

  end(): void {
    const rest = this.#rest + this.#decoder.decode();
    if (rest !== "") this.#onLine(rest);
  }
}

/** A file, or a line of it, is longer than is allowed. */
class TooLongError extends Error {
  override readonly name = "TooLongError";
}

const newDecoder = () => new TextDecoder("utf-8", { fatal: true });

/**
 * Add the name of the file to a problem.
 * @throws ArchiveProblem
 */
function understand(name: string, action: () => void): void {
  try {
    action();
  } catch (cause) {
    if (cause instanceof ArchiveProblem) throw cause;
    const what = cause instanceof TooLongError ? cause.message : "something else than it should";
    throw new ArchiveProblem(`${name} has ${what}`, { cause });
  }
}

/**
 * Compare the files that were read with those in the manifest.
 * @throws ArchiveProblem
 */
function compare(
  hashes: ReadonlyMap<string, string>,
  files: readonly { readonly name: string; readonly sha256: string }[],
): void {
  const stated = new Map(files.map(({ name, sha256 }) => [name, sha256]));
  for (const name of stated.keys())
    if (isNeeded(name) && !hashes.has(name)) throw new ArchiveProblem(`${name} is missing`);
  for (const [name, hash] of hashes)
    if (name !== manifestFile && stated.get(name) !== hash)
      throw new ArchiveProblem(`${name} is not what the manifest says`);
}

const sizeOf = (bytes: number): string =>
  bytes % mebibyte === 0 ? `${bytes / mebibyte} MiB` : `${bytes} bytes`;
