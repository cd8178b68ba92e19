import { createHash } from "node:crypto";

/** Hash before the first line of a chain. */
export const firstHash = "0".repeat(64);

/** First line of a file of a chain. */
export interface FileHeader {
  readonly chain: string;
  /** Place in the chain, from 1. */
  readonly file: number;
  /** UTC, such as `2026-11-27T05`. */
  readonly hour: string;
  /** Hash of the last line of the file before. */
  readonly previous: string;
}

/** A line of a file: JSON that begins with the hash of the line before and of the rest of this one. */
const linePattern = /^\{"hash":"([\da-f]{64})",(.*)\}$/;

/** Sorts the names of objects: a store returns them in any order, but a file that is written twice must be the same. */
const inOrder = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;

const hashOf = (previous: string, rest: string) =>
  createHash("sha256").update(`${previous}\n${rest}`).digest("hex");

/**
 * Write a file of a chain as JSON lines: its header, and a line for each record. Each line has a hash (SHA-256) of the
 * hash of the line before, a line feed, and the text of the line after its own hash.
 *
 * @returns the text, and the hash of its last line
 */
export function writeChainFile(
  header: FileHeader,
  records: readonly object[],
): { text: string; hash: string } {
  let hash = header.previous;
  const lines = [header, ...records].map((content) => {
    const rest = JSON.stringify(content, inOrder).slice(1, -1);
    hash = hashOf(hash, rest);
    return `{"hash":"${hash}",${rest}}\n`;
  });
  return { text: lines.join(""), hash };
}

/** A file of a chain was altered: lines are missing, were added or have changed. */
export class BrokenChainError extends Error {
  override readonly name = "BrokenChainError";
}

/**
 * Read and verify a file of a chain.
 * @throws BrokenChainError naming the first line that does not follow from the one before
 */
export function readChainFile(text: string): {
  header: FileHeader;
  records: Record<string, unknown>[];
  hash: string;
} {
  const lines = text.split("\n");
  if (lines.pop() !== "") throw new BrokenChainError("The last line is incomplete");
  const [header, ...records] = lines.map((line, index) => {
    const [, hash = "", rest = ""] = linePattern.exec(line) ?? [];
    if (hash === "") throw new BrokenChainError(`Line ${index + 1} is no line of a chain`);
    return { hash, rest, content: contentOf(rest, index) };
  });
  if (header === undefined) throw new BrokenChainError("The file is empty");
  let hash: string = header.content.previous;
  for (const [index, line] of [header, ...records].entries()) {
    if (hashOf(hash, line.rest) !== line.hash)
      throw new BrokenChainError(`Line ${index + 1} does not follow from the one before`);
    hash = line.hash;
  }
  return { header: header.content, records: records.map(({ content }) => content), hash };
}

function contentOf(rest: string, index: number) {
  try {
    return JSON.parse(`{${rest}}`);
  } catch {
    throw new BrokenChainError(`Line ${index + 1} is not JSON`);
  }
}

/** The readable lines of an altered file, without the header; they prove nothing. */
export function readDamagedFile(text: string): unknown[] {
  return text.split("\n").flatMap((line, index) => {
    try {
      const { hash: _, ...content } = JSON.parse(line);
      return index === 0 ? [] : [content];
    } catch {
      return [];
    }
  });
}

/** Name of the file with an hour's records of a chain. */
export const fileNameOf = (chain: string, hour: string): string =>
  `${chain}/${hour.slice(0, 10)}/${hour.slice(11)}.jsonl`;

/** The hour of a file, by its name. */
export const hourIn = (name: string): string => name.replace(/^.*\/(.{10})\/(.{2})\.jsonl$/, "$1T$2");
