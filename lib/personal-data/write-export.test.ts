import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { allItemKinds } from "../releases/item-kinds.ts";
import { partialName } from "./archive.ts";
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

it("names assets of which the bytes are gone", async () => {
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

it("touches nothing of another run that writes the same archive", async () => {
  const given = options();
  writeFileSync(partialName(given.file), "of another run");
  await expect(writeExport(given)).rejects.toThrow("EEXIST");
  expect(filesBeside(given.file)).toEqual([basename(partialName(given.file))]);
});

it("refuses items that are no user's", async () => {
  const items = new Map([["oauth/app", [{ applicationName: "Calendar" }]]]);
  await expect(writeExport({ ...options(), items })).rejects.toThrow("oauth/app is no user's");
});
