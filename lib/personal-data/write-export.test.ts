import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { filesIn } from "../../test/support/zip.ts";
import { allItemKinds } from "../releases/item-kinds.ts";
import { writeExport } from "./write-export.ts";

await allItemKinds();
const assetKey = "3-2-0190a5b8-7f6e-7d43-8a51-3c2a9be0d1f4";
const options = () => ({
  userId: "8f5a29f4-04ca-4a53-a4ff-49cc2ae8a09d",
  items: new Map([["assets/asset", [{ assetKey, ownerKind: "user", tokenHash: "hash" }]]]),
  readObject: async (): Promise<Uint8Array | undefined> => undefined,
  file: join(mkdtempSync(join(tmpdir(), "export-")), "data.zip"),
  now: 0,
});
const filesBeside = (file: string) => readdirSync(dirname(file));

it("names assets whose bytes are gone", async () => {
  const given = options();
  const manifest = await writeExport(given);
  expect(manifest).toMatchObject({ missingAssets: [assetKey], files: [{ name: "items/assets/asset.json" }] });
  expect(filesBeside(given.file)).toEqual([basename(given.file)]);
});

it("leaves nothing behind when it fails", async () => {
  const readObject = () => Promise.reject(new Error("out of reach"));
  const given = { ...options(), readObject };
  await expect(writeExport(given)).rejects.toThrow("out of reach");
  expect(filesBeside(given.file)).toEqual([]);
});

it("leaves another run alone that writes the same archive, in this process or another", async () => {
  const given = options();
  const bytes = Promise.withResolvers<undefined>();
  const first = writeExport({ ...given, readObject: () => bytes.promise });
  await expect.poll(() => filesBeside(given.file)).toHaveLength(2);
  await expect(writeExport(given)).rejects.toThrow(`Process ${process.pid} is writing ${given.file}`);
  bytes.resolve(undefined);
  await first;
  expect(filesBeside(given.file)).toEqual([basename(given.file)]);

  const other = options();
  writeFileSync(`${other.file}.lock`, String(process.ppid));
  await expect(writeExport(other)).rejects.toThrow(`Process ${process.ppid} is writing ${other.file}`);
  expect(filesBeside(other.file)).toEqual([`${basename(other.file)}.lock`]);
});

it("starts again after a run that was killed, which leaves nothing that looks complete", async () => {
  const given = options();
  const program = `
    import { writeArchive } from ${JSON.stringify(join(import.meta.dirname, "archive.ts"))};
    await writeArchive(${JSON.stringify(given.file)}, async (archive) => {
      await archive.add("half.txt", ["x".repeat(1e6)]);
      console.log("half-way");
      await new Promise(() => setInterval(() => {}, 1000));
    });`;
  const killed = spawn(process.execPath, ["--input-type=module", "--eval", program], { stdio: "pipe" });
  await once(killed.stdout, "data");
  killed.kill("SIGKILL");
  await once(killed, "exit");
  const left = [`${basename(given.file)}.lock`, `${basename(given.file)}.partial`];
  expect(filesBeside(given.file).toSorted()).toEqual(left);

  await writeExport(given);
  expect(filesBeside(given.file)).toEqual([basename(given.file)]);
  expect([...(await filesIn(given.file)).keys()]).toEqual(["items/assets/asset.json", "manifest.json"]);
});

it("refuses items that belong to no user", async () => {
  const items = new Map([["oauth/app", [{ applicationName: "Calendar" }]]]);
  await expect(writeExport({ ...options(), items })).rejects.toThrow("oauth/app is no user's");
});
