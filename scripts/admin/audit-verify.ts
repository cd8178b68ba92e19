import { createHash } from "node:crypto";
import { openAsBlob } from "node:fs";
import { BlobReader, TextWriter, ZipReader } from "@zip.js/zip.js";
import * as z from "zod";
import { hourIn } from "#shared/platform/audit/chain-file.ts";
import { ChainVerifier, verifyChain } from "#shared/platform/audit/verify-chain.ts";
import { parseJson } from "#shared/platform/parse-json.ts";
import { chain } from "./audit.ts";
import { pagesOf, sealedFiles } from "./audit-files.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { toInstant } from "./instant.ts";
import type { InternalApi } from "./internal-api.ts";
import { verifySigned } from "./statement.ts";

export const auditVerify = defineCommand({
  name: "audit verify",
  summary: "Verify that nothing of the trail, or of an export of it, is missing, was added or has changed",
  examples: [
    "audit verify --all --stage prod",
    "audit verify --chain team-ID --from 2026-11-01",
    "audit verify --archive march.zip --stage prod",
  ],
  effect: "reads",
  options: {
    chain,
    all: { kind: "flag", description: "every part of the trail" },
    archive: { kind: "file", description: "a ZIP that audit export has written" },
    from: { kind: "text", placeholder: "DAY", description: "the first day; by default, all that is kept" },
  },
  async run({ api, fail, note }, { chain, all, archive, from }) {
    if ([chain, archive, all || undefined].filter((one) => one !== undefined).length !== 1)
      throw new CommandError("Name one of --chain, --all and --archive");
    const first = from === undefined ? undefined : toInstant(from).slice(0, 13);
    const verify = async (one: string) => {
      const result = { chain: one, ...(await verifyChain(pagesOf(api, one, first))) };
      if (result.problem !== undefined) {
        fail();
        note(`${one}: see docs/audit-trail.md, "Damaged files"`);
      }
      return result;
    };
    if (chain !== undefined) return verify(chain);
    if (archive !== undefined) {
      const result = await verifyArchive(api, archive);
      if ("problem" in result) fail();
      return { archive, ...result };
    }
    const results = [];
    for await (const one of allChains(api)) results.push(await verify(one));
    return results;
  },
});

async function* allChains(api: InternalApi): AsyncGenerator<string> {
  let start: string | undefined;
  do {
    const page: { chains: readonly string[]; next?: string } = await api.read("/i/audit/chains", {
      query: start === undefined ? {} : { start },
    });
    yield* page.chains;
    start = page.next;
  } while (start !== undefined);
}

const manifest = z.object({
  chain: z.string(),
  end: z.object({ file: z.number(), hour: z.string(), hash: z.string() }).optional(),
  files: z.array(z.object({ name: z.string(), sha256: z.string() })),
});

/** Verify the files of an export, its signature, and that the trail still contains the exported files. */
async function verifyArchive(api: InternalApi, file: string) {
  const texts = await readZip(file);
  const content = parseJson(texts.get("manifest.json") ?? "null");
  const stated = manifest.safeParse(content);
  if (!stated.success) return { problem: "It has no manifest written by audit export" };
  const { chain, end, files } = stated.data;
  const signature = await verifySigned(api, "audit-export", Object(content));
  if ("problem" in signature) return signature;
  const changed = files.find(({ name, sha256 }) => hashOf(texts.get(name)) !== sha256);
  if (changed !== undefined) return { problem: `${changed.name} differs from what was exported` };
  const verifier = new ChainVerifier();
  for (const { name } of files.filter((one) => one.name.startsWith(`${chain}/`))) {
    const problem = verifier.add(texts.get(name) ?? "");
    if (problem !== undefined) return { ...signature, problem };
  }
  const last = files.findLast(({ name }) => name.startsWith(`${chain}/`))?.name;
  const problem = verifier.end(end) ?? (last && (await differenceOf(api, chain, last, texts.get(last))));
  const { files: sealedFiles, records } = verifier.verified;
  const open = (texts.get("open.jsonl") ?? "").split("\n").filter((line) => line !== "").length;
  return {
    ...signature,
    chain,
    files: sealedFiles,
    records,
    not_sealed: open,
    ...(problem !== undefined && { problem }),
  };
}

/** Whether the trail now has another last file. A trail that was rewritten is a chain without gaps, too. */
async function differenceOf(api: InternalApi, chain: string, name: string, text: string | undefined) {
  for await (const present of sealedFiles(api, chain, hourIn(name)))
    return present === text ? undefined : `${name} differs from that in the trail`;
  return undefined;
}

const hashOf = (text: string | undefined) => text && createHash("sha256").update(text).digest("hex");

/** @throws CommandError if it is no ZIP */
async function readZip(file: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  try {
    const zip = new ZipReader(new BlobReader(await openAsBlob(file)), { useWebWorkers: false });
    for await (const entry of zip.getEntriesGenerator())
      if (!entry.directory) texts.set(entry.filename, await entry.getData(new TextWriter()));
    return texts;
  } catch (cause) {
    throw new CommandError(`${file} is no ZIP, or it is damaged`, { cause });
  }
}
