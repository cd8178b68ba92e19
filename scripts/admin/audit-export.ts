import { existsSync } from "node:fs";
import { ArchiveInUseError, writeArchive } from "#lib/personal-data/archive.ts";
import { BrokenChainError, fileNameOf, readChainFile } from "#shared/platform/audit/chain-file.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { team } from "./arguments.ts";
import { chain } from "./audit.ts";
import { recordsOf, sealedFiles } from "./audit-files.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { toInstant } from "./instant.ts";
import type { InternalApi } from "./internal-api.ts";
import { signed } from "./statement.ts";

const hourMilliseconds = 3_600_000;

export const auditExport = defineCommand({
  name: "audit export",
  summary:
    "Write a part of the trail into a ZIP: sealed files as they are, records that are not sealed yet, and the proof of both",
  examples: [
    "audit export --team ID --from 2026-03-01 --to 2026-04-01 --out march.zip --stage prod",
    "audit export --chain installation --from 2026-03-01 --out installation.zip --stage prod",
  ],
  effect: "reads",
  options: {
    team,
    chain,
    from: { kind: "text", placeholder: "TIME", isRequired: true, description: "a day or a time, in UTC" },
    to: { kind: "text", placeholder: "TIME", description: "end of the period; by default now" },
    out: { kind: "file", isRequired: true, description: "the ZIP to write, which must not exist yet" },
  },
  async run({ api, fail, isDryRun }, { team, chain: part, from, to, out }) {
    if ((team === undefined) === (part === undefined))
      throw new CommandError("Name either a --team or a --chain");
    if (existsSync(out)) throw new CommandError(`${out} exists`);
    const period = {
      from: toInstant(from),
      to: to === undefined ? new Date(systemClock()).toISOString() : toInstant(to),
    };
    if (isDryRun) return { would_write: out };
    const chain = part ?? `team-${team?.toLowerCase()}`;
    try {
      const { files, signature: _, ...manifest } = await writeTrail(api, { chain, ...period, out });
      if (manifest.damaged.length > 0) fail();
      return { file: out, ...manifest, files: files.length };
    } catch (error) {
      throw error instanceof ArchiveInUseError ? new CommandError(error.message) : error;
    }
  },
});

interface Selection {
  readonly chain: string;
  readonly from: string;
  readonly to: string;
}

/** Sealed files cover whole hours, so a period that begins or ends within an hour includes all of it. */
const writeTrail = (api: InternalApi, { out, chain, from, to }: Selection & { readonly out: string }) =>
  writeArchive(out, async (archive) => {
    const last = hourOf(new Date(Date.parse(to) - 1).toISOString());
    const damaged: { name: string; problem: string }[] = [];
    let sealed = 0;
    /** The last file, and the point at which its chain continues. */
    let end: { file: number; hour: string; hash: string } | undefined;
    for await (const text of sealedFiles(api, chain, hourOf(from))) {
      const { header, records, hash, problem } = read(text);
      if (header.hour > last) break;
      const name = fileNameOf(chain, header.hour);
      await archive.add(name, [text]);
      if (problem !== undefined) damaged.push({ name, problem });
      sealed += records;
      end = { file: header.file, hour: header.hour, hash };
    }
    const since = end === undefined ? from : laterOf(from, afterHour(end.hour));
    let open = 0;
    const lines = async function* () {
      for await (const record of recordsOf(api, { chain, from: since, to })) {
        open++;
        yield `${JSON.stringify(record)}\n`;
      }
    };
    if (since < to) await archive.add("open.jsonl", lines());
    const exportedAt = new Date(systemClock()).toISOString();
    const manifest = { chain, from, to, exportedAt, records: { sealed, open }, end, damaged };
    return signed(api, "audit-export", { ...manifest, files: [...archive.files] });
  });

/** @throws CommandError for a file without its hour */
function read(text: string) {
  try {
    const { header, records, hash } = readChainFile(text);
    return { header, records: records.length, hash };
  } catch (error) {
    if (!(error instanceof BrokenChainError)) throw error;
    const [, file, hour] = /^\{"hash":"[\da-f]{64}",.*"file":(\d+),"hour":"(.{13})"/.exec(text) ?? [];
    if (file === undefined || hour === undefined)
      throw new CommandError(`A file has no header any more (${error.message}): audit verify finds it`);
    return { header: { file: Number(file), hour }, records: 0, hash: "", problem: error.message };
  }
}

const hourOf = (instant: string): string => instant.slice(0, 13);

const laterOf = (one: string, other: string) => (one > other ? one : other);

const afterHour = (hour: string): string =>
  new Date(Date.parse(`${hour}:00:00Z`) + hourMilliseconds).toISOString();
