import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import type { TableContext } from "../data/store-context.ts";
import { withUnknownFields } from "../data/unknown-fields.ts";
import { TextFiles } from "../files/text-files.ts";
import { type AuditRecord, graceMilliseconds, hourOf } from "./audit-record.ts";
import { AuditStore } from "./audit-store.ts";
import { BrokenChainError, fileNameOf, firstHash, readChainFile, writeChainFile } from "./chain-file.ts";

const hourMilliseconds = 3_600_000;
/** The hour at which sealing begins if nothing has been sealed yet. */
export const firstHours = 24;

interface SealerContext extends TableContext {
  readonly config: Pick<Config, "tableName" | "bucketName">;
  readonly clock: Clock;
}

/**
 * Writes the records of each hour to files that nobody can change, one for each chain. The next run continues after one
 * that dies: an existing file belongs to its chain unchanged. Of several runs at once, one moves the end of the chain.
 */
export class AuditSealer {
  readonly #store: AuditStore;
  readonly #files: TextFiles;
  readonly #clock: Clock;

  constructor(context: SealerContext) {
    this.#store = new AuditStore(context);
    this.#files = new TextFiles(context, "audit");
    this.#clock = context.clock;
  }

  /** The first hour that is over and not sealed. */
  async nextHour(): Promise<string | undefined> {
    const newest = hourOf(this.#clock() - hourMilliseconds - graceMilliseconds);
    const sealed = await this.#store.sealedUpTo();
    const hour =
      sealed === undefined
        ? hourOf(this.#clock() - firstHours * hourMilliseconds)
        : hourOf(Date.parse(`${sealed}:00:00Z`) + hourMilliseconds);
    return hour <= newest ? hour : undefined;
  }

  /** @returns the number of files */
  async seal(hour: string): Promise<number> {
    let files = 0;
    for await (const { chain, records } of this.#store.chainsOf(hour)) {
      await this.#sealChain(chain, hour, records);
      files++;
    }
    await this.#store.noteSealed(hour);
    return files;
  }

  async #sealChain(chain: string, hour: string, records: readonly AuditRecord[]): Promise<void> {
    const head = await this.#store.head(chain);
    if (head !== undefined && head.hour >= hour) return;
    const { file, hash: previous } = head ?? { file: 0, hash: firstHash };
    const header = { chain, file: file + 1, hour, previous };
    const name = fileNameOf(chain, hour);
    const { text, hash } = writeChainFile(header, records.map(withUnknownFields));
    const isCreated = await this.#files.create(name, text);
    const next = isCreated ? hash : await this.#hashOfExisting(name, previous);
    const isMoved = await this.#store.moveHead(chain, { file: file + 1, hash: next, hour });
    if (isMoved) return;
    const moved = await this.#store.head(chain);
    if (moved === undefined || moved.hour < hour) throw new BrokenChainError(`The end of ${chain} is lost`);
  }

  async #hashOfExisting(name: string, previous: string): Promise<string> {
    const { header, hash } = readChainFile((await this.#files.read(name)) ?? "");
    if (header.previous !== previous)
      throw new BrokenChainError(`${name} does not follow from the end of its chain`);
    return hash;
  }
}
