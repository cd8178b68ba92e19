import { BrokenChainError, firstHash, readChainFile } from "#shared/platform/audit/chain-file.ts";

/** A page of files of a chain, as the operation `i-list-audit-files` answers. */
interface FilePage {
  readonly files: readonly string[];
  /** Whether the last of these goes on in the first of the next page. */
  readonly is_cut: boolean;
  readonly head?: { readonly file: number; readonly hash: string };
  readonly next?: string;
}

interface Verification {
  readonly files: number;
  readonly records: number;
  /** Hash of the last line; keep it elsewhere to find out later whether the trail has been written anew. */
  readonly hash: string;
  /** What is wrong; absent: nothing. */
  readonly problem?: string;
}

/**
 * Verify files of a chain, page by page: every line follows from the one before, every file from the one before, and the last
 * one is where the table says that the chain ends.
 */
export async function verifyChain(readPage: (start?: string) => Promise<FilePage>): Promise<Verification> {
  const verified = { files: 0, records: 0, hash: firstHash };
  let last: number | undefined;
  let head: FilePage["head"];
  let start: string | undefined;
  /** Of a file that goes on in the next page. */
  let begun = "";
  do {
    const page = await readPage(start);
    const texts = page.files.map((text, index) => (index === 0 ? begun + text : text));
    begun = page.is_cut ? (texts.pop() ?? "") : "";
    for (const text of texts) {
      const place = `After file ${last ?? 0}`;
      try {
        const { header, records, hash } = readChainFile(text);
        const isNext = last === undefined || (header.file === last + 1 && header.previous === verified.hash);
        const isStart = header.file > 1 || header.previous === firstHash;
        if (!isNext || !isStart)
          return { ...verified, problem: `${place}: file ${header.file} does not follow` };
        last = header.file;
        verified.files++;
        verified.records += records.length;
        verified.hash = hash;
      } catch (error) {
        if (!(error instanceof BrokenChainError)) throw error;
        return { ...verified, problem: `${place}: ${error.message}` };
      }
    }
    head = page.head;
    start = page.next;
  } while (start !== undefined);
  const isComplete =
    head === undefined ? last === undefined : head.file === last && head.hash === verified.hash;
  return isComplete
    ? verified
    : { ...verified, problem: `The chain ends with file ${head?.file}, which is missing` };
}
