import type { Stats } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { CommandError } from "./command-error.ts";

/** Largest file that is read as a whole, which takes several times its size in memory. */
const maxMebibytes = 256;

/**
 * Read a file as a whole.
 * @throws CommandError if it is no file, too large, or not UTF-8
 */
export async function readText(file: string): Promise<string> {
  const found = await find(file);
  if (!found.isFile()) throw new CommandError(`${file} is no file`);
  if (found.size > maxMebibytes * 2 ** 20)
    throw new CommandError(`${file} has more than ${maxMebibytes} MiB: divide it into several`);
  const bytes = await readFile(file);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new CommandError(`${file} is not UTF-8`);
  }
}

/**
 * Read a file, or the output of another program, piece by piece.
 * @throws CommandError if there is none
 */
export async function streamFile(file: string): Promise<AsyncIterable<Uint8Array>> {
  if ((await find(file)).isDirectory()) throw new CommandError(`${file} is no file`);
  return piecesOf(file);
}

/** Opens the file only when somebody reads it, who then also closes it. */
async function* piecesOf(file: string): AsyncGenerator<Uint8Array> {
  yield* (await open(file)).createReadStream();
}

async function find(file: string): Promise<Stats> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) throw new CommandError(`There is no file ${file}`);
  return found;
}
