import { BrokenChainError, firstHash, readChainFile } from "./chain-file.ts";

/** A page of files of a chain, as the operation `i-list-audit-files` answers. */
export interface FilePage<Place = string> {
  readonly files: readonly string[];
  /** Whether the last of these continues in the first of the next page. */
  readonly is_cut: boolean;
  readonly head?: { readonly file: number; readonly hash: string };
  readonly next?: Place;
}

export interface Verification {
  readonly files: number;
  readonly records: number;
  /** Hash of the last line; keep it elsewhere to find out later whether the trail has been rewritten. */
  readonly hash: string;
  /** The problem; absent: none. */
  readonly problem?: string;
}

/**
 * Verifies files of a chain, one after the other: each line has the hash of the line before, and each file that of the
 * file before.
 */
export class ChainVerifier {
  readonly #verified = { files: 0, records: 0, hash: firstHash };
  #last: number | undefined;

  /** @param last number and hash of the file before the first one, if that is known */
  constructor(last?: { readonly file: number; readonly hash: string }) {
    if (last === undefined) return;
    this.#last = last.file;
    this.#verified.hash = last.hash;
  }

  get verified(): Verification {
    return { ...this.#verified };
  }

  /** The file that was verified last. */
  get last() {
    return this.#last === undefined ? undefined : { file: this.#last, hash: this.#verified.hash };
  }

  /** @returns the problem of the next file; undefined: none */
  add(text: string): string | undefined {
    const place = `After file ${this.#last ?? 0}`;
    try {
      const { header, records, hash } = readChainFile(text);
      const isNext =
        this.#last === undefined ||
        (header.file === this.#last + 1 && header.previous === this.#verified.hash);
      const isStart = header.file > 1 || header.previous === firstHash;
      if (!isNext || !isStart) return `${place}: file ${header.file} does not follow`;
      this.#last = header.file;
      this.#verified.files++;
      this.#verified.records += records.length;
      this.#verified.hash = hash;
      return undefined;
    } catch (error) {
      if (!(error instanceof BrokenChainError)) throw error;
      return `${place}: ${error.message}`;
    }
  }

  /** @returns the problem if the chain does not end where the table says; undefined: none */
  end(head: FilePage["head"]): string | undefined {
    const isComplete =
      head === undefined
        ? this.#last === undefined
        : head.file === this.#last && head.hash === this.#verified.hash;
    return isComplete ? undefined : `The chain ends with file ${head?.file}, which is missing`;
  }
}

/** Whole files of a chain, page by page; after each page, the end of the chain and the start of the next page. */
export async function* filesOf<Place = string>(
  readPage: (start?: Place) => Promise<FilePage<Place>>,
  from?: Place,
) {
  let start = from;
  /** Beginning of a file that continues in the next page. */
  let begun = "";
  do {
    const { files, is_cut: isCut, head, next }: FilePage<Place> = await readPage(start);
    const texts = files.map((text, index) => (index === 0 ? begun + text : text));
    begun = isCut ? (texts.pop() ?? "") : "";
    yield { texts, head, next, isCut };
    start = next;
  } while (start !== undefined);
}

/** Verify files of a chain up to its end, page by page. */
export async function verifyChain(readPage: (start?: string) => Promise<FilePage>): Promise<Verification> {
  const verifier = new ChainVerifier();
  let end: FilePage["head"];
  for await (const { texts, head } of filesOf(readPage)) {
    for (const text of texts) {
      const problem = verifier.add(text);
      if (problem !== undefined) return { ...verifier.verified, problem };
    }
    end = head;
  }
  const problem = verifier.end(end);
  return { ...verifier.verified, ...(problem !== undefined && { problem }) };
}
